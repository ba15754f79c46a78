import { day, lostOrder } from "../support/acts.ts";
import type { Order } from "../support/desk.ts";
import { House, people } from "../support/house.ts";
import { expect, test as base } from "../support/test.ts";

/** Nothing is asked by itself, so that what is open stays open. */
const settings = { COUNTERSIGN_LOOK_UP_FIRST: "30m", COUNTERSIGN_LOOK_UP_MOST: "30m" };

/** Who is ill in a house is ill for everybody, so this file has one to itself. */
const test = base.extend<object, { house: House }>({
  house: [
    async ({}, use) => {
      const house = await House.open({ worker: "inside", settings });
      await use(house);
      await house.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

test("a colleague is ill: what is ticked is handed over, and exactly that", async ({ house, pageOf }) => {
  const { resolver, manager } = people;
  const buyer = await pageOf(people.buyer);
  const [first, second, kept] = [await lostOrder(house, buyer, "one"), await lostOrder(house, buyer, "two"), await lostOrder(house, buyer, "three")];
  const before = await ownerOf(house, kept);

  const page = await pageOf(manager);
  const main = page.getByRole("main");
  await page.goto(`${house.url}/people`);
  const row = page.getByRole("row", { name: resolver.name });
  await row.locator("summary").click();
  await row.getByLabel("Last day").fill(day(7));
  await row.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Away");
  // being away moves nothing by itself
  expect(await ownerOf(house, first)).toBe(before);

  await row.getByRole("link", { name: `Hand over the cases of ${resolver.name}` }).click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`Hand over the cases of ${resolver.name}`);
  const tick = (order: Order) => page.getByRole("row").filter({ hasText: order.id }).getByRole("checkbox");
  for (const order of [first, second, kept]) await expect(tick(order)).toBeChecked();
  await tick(kept).uncheck();
  await page.getByLabel("To whom").selectOption({ label: manager.name });
  const press = page.getByRole("button", { name: "Hand over what is ticked" });
  await press.click();

  // refused without a reason: nothing moves, and what was ticked and chosen stays
  const summary = page.getByRole("alert");
  await expect(summary).toBeFocused();
  await expect(summary).toContainText(/reason/i);
  await expect(tick(first)).toBeChecked();
  await expect(tick(second)).toBeChecked();
  await expect(tick(kept)).not.toBeChecked();
  await expect(page.getByLabel("To whom").locator("option:checked")).toHaveText(manager.name);
  for (const order of [first, second, kept]) expect(await ownerOf(house, order)).toBe(before);
  await summary.getByRole("link").click();
  await expect(page.getByLabel("Reason")).toBeFocused();

  await page.getByLabel("Reason").fill("Ill until Monday.");
  await press.click();
  await expect(main.getByRole("status")).toContainText("2 cases were handed over");
  const after = await ownerOf(house, first);
  expect(after).not.toBe(before);
  expect(await ownerOf(house, second)).toBe(after);
  expect(await ownerOf(house, kept)).toBe(before);
  await expect(tick(first)).toHaveCount(0);
  await expect(tick(second)).toHaveCount(0);
  await expect(tick(kept)).toHaveCount(1);

  await page.goto(`${house.url}/orders/${first.id}`);
  await expect(page.getByLabel("Owner and deadline")).toContainText(manager.name);
  await expect(page.getByRole("region", { name: "What happened" })).toContainText("Ill until Monday.");
});

async function ownerOf(house: House, order: Order) {
  return (await house.assistant.order(order.id)).case?.owner;
}
