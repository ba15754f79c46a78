import { type ChildProcess, execFile, spawn } from "node:child_process";
import fs from "node:fs";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const repository = path.dirname(path.dirname(path.dirname(fileURLToPath(import.meta.url))));

/** The program under test: `COUNTERSIGN_BIN`, else what `make build` left. */
export function program(): string {
  const file = process.env.COUNTERSIGN_BIN ?? path.join(repository, "dist/countersign");
  if (!fs.existsSync(file)) throw new Error(`${file} is not there: run the tests with \`make e2e\``);
  return file;
}

/** A program that runs until it is stopped, with all it said. */
export class Running {
  readonly #child: ChildProcess;
  readonly #ended: Promise<void>;
  #said = "";
  #printed = "";

  private constructor(readonly name: string, child: ChildProcess) {
    this.#child = child;
    this.#ended = new Promise((resolve) => child.once("exit", () => resolve()));
    child.stdout?.on("data", (text) => {
      this.#printed += text;
      this.#said += text;
    });
    child.stderr?.on("data", (text) => (this.#said += text));
    alive.add(this);
  }

  /** Starts `countersign ARGS` in `folder` and waits until `url` answers, or until it says what it `says` when it is up. */
  static async start(
    name: string,
    args: string[],
    options: { folder: string; env?: NodeJS.ProcessEnv } & ({ url: string } | { says: string }),
  ) {
    const child = spawn(program(), args, {
      cwd: options.folder,
      env: environment(options.env),
      stdio: ["ignore", "pipe", "pipe"],
    });
    const running = new Running(name, child);
    try {
      await ("url" in options ? running.#answers(options.url) : running.#says(options.says));
    } catch (error) {
      await running.stop();
      throw error;
    }
    return running;
  }

  get pid(): number {
    if (this.#child.pid === undefined) throw new Error(`${this.name} did not start`);
    return this.#child.pid;
  }

  /** Standard output and standard error, as they came. */
  get log(): string {
    return this.#said;
  }

  /** Standard output alone: the result. */
  get output(): string {
    return this.#printed;
  }

  get isRunning(): boolean {
    return this.#child.exitCode === null && this.#child.signalCode === null && this.#child.pid !== undefined;
  }

  /** Holds it where it is while `during` runs: what is sent to it meanwhile waits in its sockets. */
  async frozen(during: () => Promise<void>) {
    process.kill(this.pid, "SIGSTOP");
    try {
      await during();
    } finally {
      process.kill(this.pid, "SIGCONT");
    }
  }

  /** Asks it to end, and after `grace` milliseconds no longer asks. */
  async stop(grace = 5_000) {
    alive.delete(this);
    if (!this.isRunning) return;
    this.#child.kill("SIGTERM");
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), grace);
    await this.#ended;
    clearTimeout(timer);
  }

  /** Ends it as a power cut would. */
  async kill() {
    alive.delete(this);
    if (!this.isRunning) return;
    this.#child.kill("SIGKILL");
    await this.#ended;
  }

  async #says(words: string) {
    const until = Date.now() + 30_000;
    while (!this.log.includes(words)) {
      if (!this.isRunning || Date.now() > until) throw new Error(`${this.name} did not say “${words}”:\n${this.log}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async #answers(url: string) {
    const until = Date.now() + 30_000;
    while (Date.now() < until) {
      if (!this.isRunning) throw new Error(`${this.name} ended at once:\n${this.log}`);
      const answered = await fetch(url, { redirect: "manual" }).then(
        async (answer) => {
          await answer.arrayBuffer();
          return true;
        },
        () => false,
      );
      if (answered) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${this.name} does not answer at ${url}:\n${this.log}`);
  }
}

// Nothing outlives the test run, also when a fixture never came to its end.
const alive = new Set<Running>();
process.once("exit", () => {
  for (const running of alive) if (running.isRunning) process.kill(running.pid, "SIGKILL");
});

/** Runs one verb to its end and answers its standard output; a failure carries everything it said. */
export function run(args: string[], options: { folder: string; env?: NodeJS.ProcessEnv; input?: string }): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(
      program(),
      args,
      { cwd: options.folder, env: environment(options.env), timeout: 30_000 },
      (error, stdout, stderr) => {
        if (error) reject(new Error(`countersign ${args.join(" ")}: ${error.message}\n${stdout}${stderr}`));
        else resolve(stdout);
      },
    );
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input ?? "");
  });
}

/** A port on the loopback address that was free a moment ago. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = net.createServer();
    server.once("error", reject);
    server.listen(0, "127.0.0.1", () => {
      const address = server.address();
      server.close(() => {
        if (address && typeof address === "object") resolve(address.port);
        else reject(new Error("no port"));
      });
    });
  });
}

/** The machine's environment without what would steer the program from outside. */
function environment(more: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !name.startsWith("COUNTERSIGN_") && name !== "DATABASE_URL");
  return { ...Object.fromEntries(kept), ...more };
}
