import { AxeBuilder } from "@axe-core/playwright";
import { expect, type Page } from "@playwright/test";

/** axe finds nothing on the page as it stands. */
export async function expectAccessible(page: Page, words = "") {
  const { violations } = await new AxeBuilder({ page }).analyze();
  const found = violations.map(({ id, help, nodes }) => `${id}: ${help} (${nodes.map((node) => node.target).join("; ")})`);
  expect(found, `axe, ${words || page.url()}`).toEqual([]);
}
