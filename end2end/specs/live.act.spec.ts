import type { Locator, Page } from "@playwright/test";
import { sendBack } from "../support/acts.ts";
import { House, people } from "../support/house.ts";
import { Keyboard } from "../support/keyboard.ts";
import { expect, test as base } from "../support/test.ts";

/** What others do in a house is counted, so this file has one to itself. */
const test = base.extend<object, { house: House }>({
  house: [
    async ({}, use) => {
      const house = await House.open();
      await use(house);
      await house.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

test("the queue says how many things have changed since, and moves nothing under pointer or focus", async ({
  house,
  pageOf,
  javaScriptEnabled,
}) => {
  const wish = (word: string) => {
    const lines = [{ sku: `LIVE-${word}`, description: `Hex bolt ${word}`, quantity: "24", unit: "EA", unit_price: "0.4375" }];
    return house.assistant.wish(`live-${word}`, { lines });
  };
  const settled = [await wish("first"), await wish("second"), await wish("third")];
  const { suggestion: kept } = await wish("fourth");
  const manager = await pageOf(people.manager);
  await manager.goto(`${house.url}/`);
  const bar = manager.locator(".live");
  await expect(bar).toHaveText(/^Read at \d\d:\d\d · Refresh$/);
  const before = await rows(manager);
  const focused = row(manager, kept.id);
  await focused.focus();
  const place = await placeOf(focused);
  const refresh = bar.getByRole("link", { name: "Refresh" });
  const pressed = await placeOf(refresh);

  const other = await pageOf(people.colleague);
  for (const { intentId, suggestion } of settled) {
    await other.goto(`${house.url}/suggestions/${suggestion.id}`);
    await sendBack(other, "Not this week.");
    await expect.poll(async () => (await house.assistant.intent(intentId)).suggestion?.state).toBe("sent_back");
  }

  // without JavaScript the page stays what it was, and says of when it is
  if (javaScriptEnabled) await expect(bar).toHaveText("3 updates · Refresh");
  else await expect(bar).toHaveText(/^Read at \d\d:\d\d · Refresh$/);
  expect(await rows(manager)).toEqual(before);
  await expect(focused).toBeFocused();
  expect(await placeOf(focused)).toEqual(place);
  expect(await placeOf(refresh)).toEqual(pressed);

  const keyboard = new Keyboard(manager);
  await keyboard.backTo(refresh);
  await manager.keyboard.press("Enter");
  await expect(bar).toHaveText(/^Read at \d\d:\d\d · Refresh$/);
  await expect.poll(() => rows(manager)).not.toEqual(before);
  expect(await section(manager, kept.id)).toBe("Waiting for review");
  for (const { suggestion } of settled) {
    expect(await section(manager, suggestion.id)).toBe("Sent back to the assistant");
  }
});

test("refreshing keeps what was looked for", async ({ house, pageOf }) => {
  const manager = await pageOf(people.manager);
  await manager.goto(`${house.url}/?section=review`);
  await manager.locator(".live").getByRole("link", { name: "Refresh" }).click();
  await expect(manager).toHaveURL(`${house.url}/?section=review`);
});

function row(page: Page, id: string): Locator {
  return page.locator(`.rows a.goods[href='/suggestions/${id}']`).first();
}

/** What the rows lead to, in their order. */
function rows(page: Page): Promise<(string | null)[]> {
  return page.locator("main .rows a.goods").evaluateAll((links) => links.map((link) => link.getAttribute("href")));
}

/** The heading of the section in which this stands, without its count. */
async function section(page: Page, id: string): Promise<string> {
  const name = await page.locator("main section", { has: row(page, id) }).first().getAttribute("aria-labelledby");
  const heading = await page.locator(`#${name}`).evaluate((one) => one.firstChild?.textContent ?? "");
  return heading.trim();
}

async function placeOf(one: Locator) {
  const box = await one.boundingBox();
  return box && { x: Math.round(box.x), y: Math.round(box.y) };
}
