import type { Page } from "@playwright/test";
import { approveButton, orderOf } from "../support/acts.ts";
import { House, people, type Plan } from "../support/house.ts";
import { expect, test as base } from "../support/test.ts";

// Suppliers of the classes A, B, D and F (docs/suppliers.md): whoever brings an order home has never seen it before, and
// uses nothing but its page.

const short = {
  COUNTERSIGN_REQUEST_DEADLINE: "1s",
  COUNTERSIGN_SEND_BY: "1s",
  COUNTERSIGN_LEASE: "2500ms",
  // nothing is asked by itself: whatever brings an order home was pressed on its page
  COUNTERSIGN_LOOK_UP_FIRST: "30m",
  COUNTERSIGN_LOOK_UP_MOST: "30m",
};

function without(file: string, section: string): string {
  const parts = file.split(/^(?=\[)/m);
  return parts.filter((part) => !part.startsWith(`[${section}]`)).join("");
}
const called = (letter: string) => (file: string) =>
  file
    .replace('id = "practice"', `id = "class-${letter.toLowerCase()}"`)
    .replace('name = "Practice supplier"', `name = "Class ${letter}"`)
    .replace('settle_time = "30s"', 'settle_time = "1s"');
const withoutKey = (file: string) => without(file, "contract.key");

const suppliers = [
  called("A"),
  (file: string) => withoutKey(called("B")(file)).replace("reference_unique = false", "reference_unique = true"),
  (file: string) => withoutKey(called("D")(file)),
  (file: string) =>
    without(withoutKey(called("F")(file)), "look_up").replace('look_up = "exact"', 'look_up = "none"'),
];

/** One supplier behind four files: it knows a key where one is sent, and refuses a reference that it has. */
const test = base.extend<object, { house: House }>({
  house: [
    async ({}, use) => {
      const plan: Plan = { worker: "inside", settings: short, suppliers, habits: { duplicate_reference: "refused" } };
      const house = await House.open(plan);
      await use(house);
      await house.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

/** An order whose answer was lost; the page of somebody who has never seen it. */
async function lost(
  house: House,
  pageOf: (person: typeof people.buyer) => Promise<Page>,
  letter: string,
  word: string,
  fault: "store_then_close" | "close_without_store",
) {
  const { intentId, suggestion } = await house.assistant.wish(word, {
    supplier: `class-${letter}`,
    lines: [{ sku: word.toUpperCase(), description: "Lamp E27", quantity: "60", unit: "EA", unit_price: "3.20" }],
  });
  await house.supplier.faults([{ on: "submit", do: fault }]);
  const buyer = await pageOf(people.buyer);
  await buyer.goto(`${house.url}/suggestions/${suggestion.id}`);
  await approveButton(buyer).click();
  const order = await orderOf(house, intentId, "confirmation_pending");
  const page = await pageOf(people.resolver);
  await page.goto(`${house.url}/orders/${order.id}`);
  await expect(page.getByRole("main")).toContainText("Confirmation pending");
  return { page, order };
}

async function home(house: House, page: Page, order: { id: string; operation_key: string }, says: string | RegExp) {
  await expect.poll(async () => (await house.assistant.order(order.id)).state, { timeout: 20_000 }).toBe("confirmed");
  await page.goto(`${house.url}/orders/${order.id}`);
  await expect(page.getByRole("main")).toContainText(says);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
}

test.describe("class A, the supplier knows our key", () => {
  test("the page offers to resume until the key may be forgotten, and that brings it home", async ({ house, pageOf }) => {
    const { page, order } = await lost(house, pageOf, "a", "class-a", "store_then_close");
    await expect(page.getByRole("main")).toContainText(/safe until/i);
    await page.getByRole("button", { name: "Resume the purchase" }).click();
    await home(house, page, order, "confirmed exactly what was approved");
  });
});

test.describe("class B, our reference is unique there", () => {
  test("a repeat is refused because they have it, and what they have is looked up and compared", async ({ house, pageOf }) => {
    const { page, order } = await lost(house, pageOf, "b", "class-b", "store_then_close");
    await page.getByRole("button", { name: "Resume the purchase" }).click();
    await home(house, page, order, "confirmed exactly what was approved");
  });
});

test.describe("class D, our reference can be looked up and is not unique", () => {
  test("they have it: the look-up brings it home, and nothing is sent again", async ({ house, pageOf }) => {
    const before = await house.supplier.submissions();
    const { page, order } = await lost(house, pageOf, "d", "class-d", "store_then_close");
    await expect(page.getByRole("button", { name: "Resume the purchase" })).toBeDisabled();
    await page.getByRole("button", { name: /^look up/i }).click();
    await home(house, page, order, "confirmed exactly what was approved");
    expect(await house.supplier.submissions()).toBe(before + 1);
  });

  test("they do not have it: once that is established a person resumes", async ({ house, pageOf }) => {
    const { page, order } = await lost(house, pageOf, "d", "class-d-none", "close_without_store");
    // "no record" once is not enough: the page says so, and asks again
    await expect(async () => {
      await page.goto(`${house.url}/orders/${order.id}`);
      const lookUp = page.getByRole("button", { name: /^look up/i });
      if (await lookUp.isEnabled()) await lookUp.click();
      expect((await house.assistant.order(order.id)).held_because).toBe("not_found");
    }).toPass({ intervals: [1_500], timeout: 40_000 });
    await page.goto(`${house.url}/orders/${order.id}`);
    await page.getByRole("button", { name: "Resume the purchase" }).click();
    await home(house, page, order, "confirmed exactly what was approved");
  });
});

test.describe("class F, nothing but a person can ask", () => {
  test("somebody calls them and records what they say, with evidence", async ({ house, pageOf }) => {
    const { page, order } = await lost(house, pageOf, "f", "class-f", "store_then_close");
    await expect(page.getByRole("button", { name: "Resume the purchase" })).toBeDisabled();
    await expect(page.getByRole("main")).toContainText(/someone must ask them/i);
    const number = await house.supplier.numberOf(order.operation_key);
    const form = page.locator("form[action='/act/record_finding']");
    await form.getByLabel(/has it|have it/i).first().check();
    await form.getByLabel(/number of the order/i).fill(number);
    await form.getByLabel(/evidence/i).fill("Called at noon; Ms Berg read me their number.");
    await form.getByRole("button", { name: "Record this" }).click();
    await home(house, page, order, "not compared with what was approved");
  });
});
