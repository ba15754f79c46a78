import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import type { BrowserContext, Page } from "@playwright/test";
import { emptyDatabase } from "./database.ts";
import { Assistant, Supplier } from "./desk.ts";
import { freePort, run, Running } from "./processes.ts";

export interface Person {
  name: string;
  email: string;
  password: string;
  roles: string;
}

/** One person for each view of the desk, and a second buyer for what two people do at once. */
export const people = {
  buyer: { name: "Bea Buyer", email: "bea@example.test", password: "bea buys bolts daily", roles: "buyer" },
  colleague: { name: "Carl Colleague", email: "carl@example.test", password: "carl buys bolts too", roles: "buyer" },
  resolver: { name: "Rita Resolver", email: "rita@example.test", password: "rita resolves doubts", roles: "resolver" },
  manager: { name: "Mia Manager", email: "mia@example.test", password: "mia minds the morning", roles: "manager" },
  admin: { name: "Ada Admin", email: "ada@example.test", password: "ada adds the suppliers", roles: "admin" },
} satisfies Record<string, Person>;

/**
 * A desk and a practice supplier as processes of their own, each with a fresh database, on loopback ports of their own.
 * Set up by command line, as its owner would.
 */
export interface Plan {
  /** With a worker `apart` the web process does not send, and the worker can be killed without it. */
  worker: "inside" | "apart";
  /** Settings beside the defaults, as environment variables. */
  settings?: NodeJS.ProcessEnv;
  /** Where people are told by e-mail; nobody is without it. */
  mailServer?: string;
  /** Further suppliers at the same address: what is other in their files than in the practice supplier's own. */
  suppliers?: ((file: string) => string)[];
  /** What the supplier does otherwise than its defaults. */
  habits?: Record<string, unknown>;
}

export class House {
  readonly #signedIn = new Map<string, Awaited<ReturnType<BrowserContext["cookies"]>>>();

  private constructor(
    readonly folder: string,
    readonly url: string,
    readonly assistant: Assistant,
    readonly supplier: Supplier,
    readonly processes: { desk: Running; supplier: Running; worker?: Running },
    readonly env: NodeJS.ProcessEnv,
  ) {}

  static async open(plan: Plan = { worker: "inside" }): Promise<House> {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "countersign-e2e-"));
    const supplierAt = `127.0.0.1:${await freePort()}`;
    const deskAt = `127.0.0.1:${await freePort()}`;
    const supplierUrl = `http://${supplierAt}`;
    const url = `http://${deskAt}`;
    const env = { ...emptyDatabase(), ...(plan.mailServer ? telling(plan.mailServer, url) : {}), ...plan.settings };

    const supplier = await Running.start(
      "practice-supplier",
      ["practice-supplier", "--listen", supplierAt, "--database", `sqlite:${path.join(folder, "practice.db")}`],
      { folder, url: `${supplierUrl}/requests` },
    );
    try {
      const verb = (...args: string[]) => run(args, { folder, env });
      await verb("init", "--tenant", "Bolt & Sons", "--zone", "Europe/Berlin");
      await verb("site", "add", "main-warehouse", "--name", "Main warehouse");
      for (const { name, email, roles, password } of Object.values(people)) {
        const args = ["person", "add", name, "--email", email, "--role", roles, "--password-stdin"];
        await run(args, { folder, env, input: `${password}\n` });
      }
      const file = path.join(folder, "practice.toml");
      const example = await verb("supplier", "example", "practice", "--url", supplierUrl);
      for (const edited of [example, ...(plan.suppliers ?? []).map((edit) => edit(example))]) {
        fs.writeFileSync(file, edited);
        await verb("supplier", "add", file);
      }
      const intake = lastLine(await verb("token", "create", "assistant", "--scope", "intake"));
      const read = lastLine(await verb("token", "create", "reader", "--scope", "read"));

      const apart = plan.worker === "apart";
      const serve = ["serve", "--listen", deskAt, ...(apart ? ["--no-worker"] : [])];
      const desk = await Running.start("serve", serve, { folder, env, url: `${url}/health` });
      const assistant = new Assistant(url, intake, read);
      const house = new House(folder, url, assistant, new Supplier(supplierUrl), { desk, supplier }, env);
      if (plan.habits) await house.supplier.habits(plan.habits);
      if (apart) await house.startWorker();
      return house;
    } catch (error) {
      await supplier.stop();
      throw error;
    }
  }

  /** Signs a browser in, through the form the first time and with the same cookie afterwards. */
  async signIn(page: Page, person: Person) {
    const known = this.#signedIn.get(person.email);
    if (known) {
      await page.context().addCookies(known);
      return;
    }
    await signInByForm(page, this.url, person);
    this.#signedIn.set(person.email, await page.context().cookies());
  }

  /** A worker of its own, once it says that it works. */
  async startWorker() {
    this.processes.worker = await Running.start("work", ["work"], { folder: this.folder, env: this.env, says: "working" });
  }

  /** Ends the worker as a power cut would, and starts another. */
  async killWorkerAndStartAnother() {
    await this.processes.worker?.kill();
    await this.startWorker();
  }

  /** Stops the desk, and starts it as it would start if its data had been copied to another machine. */
  async startOnAnotherMachine() {
    await this.processes.desk.stop();
    this.processes.desk = await Running.start("serve", ["serve", "--listen", new URL(this.url).host], {
      folder: this.folder,
      env: { ...this.env, COUNTERSIGN_HOST: "another machine" },
      url: `${this.url}/health`,
    });
  }

  get logs(): string {
    return Object.values(this.processes).map(({ name, log }) => `--- ${name}\n${log}`).join("\n");
  }

  async close() {
    await this.processes.worker?.stop();
    await this.processes.desk.stop();
    await this.processes.supplier.stop();
    fs.rmSync(this.folder, { recursive: true, force: true });
  }
}

function telling(mailServer: string, url: string): NodeJS.ProcessEnv {
  return {
    COUNTERSIGN_PUBLIC_URL: url,
    COUNTERSIGN_MAIL_SERVER: mailServer,
    COUNTERSIGN_MAIL_FROM: "Countersign <desk@example.test>",
  };
}

export async function signInByForm(page: Page, url: string, person: { email: string; password: string }) {
  await page.goto(`${url}/sign-in`);
  await page.getByLabel(/e-?mail/i).fill(person.email);
  await page.getByLabel(/password/i).fill(person.password);
  await page.getByRole("button", { name: /sign in/i }).click();
  await page.waitForURL((at) => at.pathname === "/");
}

function lastLine(output: string): string {
  const line = output.trimEnd().split("\n").at(-1)?.trim();
  if (!line) throw new Error("the command printed nothing");
  return line;
}
