import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page, test } from "@playwright/test";

/** axe finds nothing on the page as it stands. It is a script, so it can only look where scripts run. */
export async function expectAccessible(page: Page, words = "") {
  if (test.info().project.use.javaScriptEnabled === false) return;
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target).join("; ")})`);
  expect(found, `axe, ${words || page.url()}`).toEqual([]);
}
