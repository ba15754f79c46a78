import type { Page } from "@playwright/test";
import { approveButton, orderOf } from "../support/acts.ts";
import { House, people } from "../support/house.ts";
import { expect, test as base } from "../support/test.ts";

/** The web and the worker are two processes here, so that the worker can die alone. */
const test = base.extend<object, { house: House }>({
  house: [
    async ({}, use) => {
      const house = await House.open({ worker: "apart" });
      await use(house);
      await house.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

/** Approves 60 lamps, loses the supplier's answer, and kills the worker: what is left is the order's page. */
async function interrupted(house: House, pageOf: (person: typeof people.buyer) => Promise<Page>, word: string) {
  const before = await house.supplier.submissions();
  const { intentId, suggestion: waiting } = await house.assistant.wish(word, {
    lines: [{ sku: word.toUpperCase(), description: "Lamp E27", quantity: "60", unit: "EA", unit_price: "3.20" }],
  });
  await house.supplier.faults([{ on: "submit", do: "store_then_close" }]);
  const buyer = await pageOf(people.buyer);
  await buyer.goto(`${house.url}/suggestions/${waiting.id}`);
  await approveButton(buyer).click();
  const order = await orderOf(house, intentId, "confirmation_pending");

  const page = await pageOf(people.resolver);
  await page.goto(`${house.url}/orders/${order.id}`);
  const main = page.getByRole("main");
  await expect(main).toContainText("Confirmation pending");
  await expect(page.getByRole("heading", { level: 1 })).toContainText("60 each");
  await expect(main).toContainText("closed the connection without an answer");
  const due = main.getByLabel("Owner and deadline");
  await expect(due).toContainText(people.resolver.name);
  await expect(due.locator("time").first()).toHaveAttribute("datetime", /^20\d\d-/);

  await house.killWorkerAndStartAnother();
  return { page, order, before };
}

async function settled(house: House, page: Page, order: { id: string; operation_key: string }) {
  await expect.poll(async () => (await house.assistant.order(order.id)).state).toBe("confirmed");
  const { supplier_reference: number } = await house.assistant.order(order.id);
  expect(number).toBeTruthy();
  // the page looks again by itself until what was asked for has happened
  const main = page.getByRole("main");
  await expect(main).toContainText("confirmed exactly what was approved", { timeout: 15_000 });
  await expect(main).toContainText(number ?? "—");
  await expect(page).toHaveURL(`${house.url}/orders/${order.id}`);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
}

test("the answer is lost and the worker dies: looking up brings the order home, one purchase", async ({ house, pageOf }) => {
  const { page, order, before } = await interrupted(house, pageOf, "look-up");
  await page.getByRole("button", { name: /^look up/i }).click();
  await settled(house, page, order);
  expect(await house.supplier.submissions()).toBe(before + 1);
  const history = page.getByRole("region", { name: "What happened" });
  await expect(history).toContainText(`${people.resolver.name} asked the supplier`);
});

test("the answer is lost and the worker dies: resuming brings the order home, one purchase", async ({ house, pageOf }) => {
  const { page, order, before } = await interrupted(house, pageOf, "resume");
  await page.getByRole("button", { name: /^resume/i }).click();
  await settled(house, page, order);
  // a second request under the same key, and no second purchase
  expect(await house.supplier.submissions()).toBe(before + 2);
  expect((await house.assistant.order(order.id)).attempts.map(({ reply }) => reply)).toEqual(["unknown", "accepted"]);
});

test("two people act on the same page: one wins, the other is told calmly and keeps what was typed", async ({ house, pageOf }) => {
  const { page: resolver, order } = await interrupted(house, pageOf, "two-people");
  const manager = await pageOf(people.manager);
  await manager.goto(`${house.url}/orders/${order.id}`);
  const evidence = "Called them at noon; they read me their number.";
  const form = manager.locator("form[action='/act/record_finding']");
  await manager.locator("details", { has: form }).locator("summary").first().click();
  await form.getByLabel(/at the supplier|they have it|has it/i).first().check();
  await form.getByLabel(/number/i).first().fill("A-77");
  await form.getByLabel(/evidence|how do you know|how you know/i).fill(evidence);

  await resolver.getByRole("button", { name: /^look up/i }).click();
  await settled(house, resolver, order);

  await form.getByRole("button").click();
  await expect(manager.getByRole("alert")).toContainText(/already done by/i);
  await expect(manager.getByRole("main")).toContainText(evidence);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
});
