/** What people do on the screens, found the way they find it: by role and name. */

import { expect, type Locator, type Page } from "@playwright/test";
import type { Order } from "./desk.ts";
import type { House } from "./house.ts";

export function approveButton(page: Page): Locator {
  return page.getByRole("button", { name: /^approve/i });
}

/** The place where a refused act says why. */
export function refusal(page: Page): Locator {
  return page.getByRole("alert");
}

/** Sends a suggestion back from its own page. */
export async function sendBack(page: Page, reason: string) {
  const form = page.locator("form[action='/act/send_back']");
  await openIfFolded(form);
  await form.getByLabel(/reason/i).fill(reason);
  await form.getByRole("button", { name: /send back/i }).click();
}

/** Fills the reason of an act and presses its button, on the page that has the form. */
export async function withReason(page: Page, act: string, reason: string) {
  const form = page.locator(`form[action='/act/${act}']`);
  await openIfFolded(form);
  await form.locator("textarea").fill(reason);
  await form.getByRole("button").click();
}

/** A form may lie in a closed <details>; with and without JavaScript a click on its summary opens it. */
async function openIfFolded(form: Locator) {
  const folded = form.page().locator("details:not([open])", { has: form });
  if ((await folded.count()) > 0) await folded.first().locator("summary").click();
}

/** The order that came of an intent, once it is in this state. */
export async function orderOf(house: House, intentId: string, state: string) {
  await expect
    .poll(async () => (await house.assistant.intent(intentId)).order?.state, { message: `order of ${intentId}` })
    .toBe(state);
  const { order } = await house.assistant.intent(intentId);
  if (!order) throw new Error(`${intentId} has no order`);
  return house.assistant.order(order.id);
}

/** An order whose answer was lost: the supplier has it, and nobody knows. It stands on the buyer's page. */
export async function lostOrder(house: House, buyer: Page, word: string): Promise<Order> {
  const { intentId, suggestion } = await house.assistant.wish(word, {
    lines: [{ sku: `LOST-${word}`, description: `Lamp E27, ${word}`, quantity: "60", unit: "EA", unit_price: "3.20" }],
  });
  await house.supplier.faults([{ on: "submit", do: "store_then_close" }]);
  await buyer.goto(`${house.url}/suggestions/${suggestion.id}`);
  await approveButton(buyer).click();
  const order = await orderOf(house, intentId, "confirmation_pending");
  // the page follows its order until then, and would come between
  await expect(buyer.getByRole("main")).toContainText("Confirmation pending");
  return order;
}

/** A day of the house's calendar, so many from today. */
export function day(ahead: number): string {
  return new Date(Date.now() + ahead * 86_400_000).toLocaleDateString("sv-SE", { timeZone: "Europe/Berlin" });
}
