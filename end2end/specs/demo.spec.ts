import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { expect, test } from "@playwright/test";
import { approveButton } from "../support/acts.ts";
import { emptyDatabase } from "../support/database.ts";
import { signInByForm } from "../support/house.ts";
import { freePort, Running } from "../support/processes.ts";

test("from an empty folder and database: the demo prints its sign-ins, and a waiting suggestion can be bought without a terminal", async ({ page }) => {
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "countersign-demo-"));
  const address = `127.0.0.1:${await freePort()}`;
  const url = `http://${address}`;
  const demo = await Running.start("serve --demo", ["serve", "--demo", "--listen", address], {
    folder,
    env: emptyDatabase(),
    url: `${url}/health`,
  });
  try {
    await expect.poll(() => demo.output).toContain(url);
    await signInByForm(page, url, signInOf(demo.output, "buyer"));
    await page.goto(`${url}/suggestions`);
    await page.getByRole("main").locator("a[href^='/suggestions/sug_']").first().click();
    await approveButton(page).click();
    await expect(page).toHaveURL(/\/orders\/po_/);
    await expect(async () => {
      await page.reload();
      await expect(page.getByRole("main")).toContainText("Confirmed", { timeout: 500 });
    }).toPass({ timeout: 20_000 });
  } finally {
    await demo.stop();
    fs.rmSync(folder, { recursive: true, force: true });
  }
});

/** The line of the output that names the role, an address and a password, in this order. */
function signInOf(output: string, role: string) {
  const line = output.split("\n").find((line) => line.includes(role) && line.includes("@"));
  const [, email, password] = /(\S+@\S+)\s+(\S.*?)\s*$/.exec(line ?? "") ?? [];
  if (!email || !password) throw new Error(`no sign-in of a ${role} in:\n${output}`);
  return { email, password };
}
