import { approveButton, orderOf, refusal, sendBack } from "../support/acts.ts";
import { suggestion } from "../support/desk.ts";
import { people } from "../support/house.ts";
import { expect, test } from "../support/test.ts";

test("one approval becomes one purchase, and the order's page shows the supplier's number", async ({ house, pageOf }) => {
  const before = await house.supplier.submissions();
  const { intentId, suggestion: waiting } = await house.assistant.wish("main-job");
  const page = await pageOf(people.buyer);

  await page.goto(`${house.url}/`);
  await page.locator(`a[href='/suggestions/${waiting.id}']`).first().click();
  await expect(page).toHaveURL(`${house.url}/suggestions/${waiting.id}`);
  await approveButton(page).click();
  await expect(page).toHaveURL(/\/orders\/po_/);

  const order = await orderOf(house, intentId, "confirmed");
  expect(order.supplier_reference).toBeTruthy();
  // The page follows its order by itself, and the bookmark says the same.
  await expect(page.getByRole("main")).toContainText("Confirmed", { timeout: 15_000 });
  await page.goto(`${house.url}/orders/${order.id}`);
  await expect(page.getByRole("main")).toContainText("Confirmed");
  await expect(page.getByRole("main")).toContainText(order.supplier_reference ?? "—");
  expect(await house.supplier.count(order.operation_key)).toBe(1);
  expect(await house.supplier.submissions()).toBe(before + 1);
});

test("approve pressed twice before there is an answer makes one order", async ({ house, pageOf, javaScriptEnabled }) => {
  const before = await house.supplier.submissions();
  const { intentId, suggestion: waiting } = await house.assistant.wish("double-click", {
    lines: [{ sku: "TAPE-50", description: "Packing tape", quantity: "36", unit: "EA", unit_price: "2.10" }],
  });
  const page = await pageOf(people.buyer);

  await page.goto(`${house.url}/suggestions/${waiting.id}`);
  let posts = 0;
  page.on("request", (request) => (posts += request.method() === "POST" ? 1 : 0));
  await approveButton(page).scrollIntoViewIfNeeded();
  const button = await approveButton(page).boundingBox();
  if (!button) throw new Error("the button is not on the screen");
  // A browser swallows the second of two clicks within a few milliseconds. While the desk stands still both go out.
  await house.processes.desk.frozen(async () => {
    for (const _ of [1, 2]) {
      await page.mouse.click(button.x + button.width / 2, button.y + button.height / 2);
      await page.waitForTimeout(300);
    }
  });
  await expect(page).toHaveURL(/\/orders\/po_/);
  // With JavaScript a page may hold the second click back; without it nothing but the desk can.
  if (!javaScriptEnabled) expect(posts).toBeGreaterThanOrEqual(2);

  const order = await orderOf(house, intentId, "confirmed");
  expect(page.url()).toContain(order.id);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
  expect(await house.supplier.submissions()).toBe(before + 1);
  expect(order.attempts).toHaveLength(1);
});

test("two people approve the same suggestion: one order, and the second lands on it or is told", async ({ house, pageOf }) => {
  const before = await house.supplier.submissions();
  const { intentId, suggestion: waiting } = await house.assistant.wish("two-people", {
    lines: [{ sku: "GLOVE-L", description: "Gloves, large", quantity: "10", unit: "PR", unit_price: "4.00" }],
  });
  const first = await pageOf(people.buyer);
  const second = await pageOf(people.colleague);
  await first.goto(`${house.url}/suggestions/${waiting.id}`);
  await second.goto(`${house.url}/suggestions/${waiting.id}`);

  await Promise.all([approveButton(first).click(), approveButton(second).click()]);
  const order = await orderOf(house, intentId, "confirmed");
  for (const page of [first, second]) {
    await page.waitForLoadState();
    await expect(page.getByRole("main")).toContainText(/approved/i);
  }
  expect(await house.supplier.count(order.operation_key)).toBe(1);
  expect(await house.supplier.submissions()).toBe(before + 1);
});

test("an approval of what is no longer there is refused, and nothing is bought", async ({ house, pageOf }) => {
  const before = await house.supplier.submissions();
  const lines = [{ sku: "FILTER-3", description: "Air filter", quantity: "10", unit: "EA", unit_price: "12.00" }];
  const { intentId, suggestion: seen } = await house.assistant.wish("stale", { lines });
  const page = await pageOf(people.buyer);
  await page.goto(`${house.url}/suggestions/${seen.id}`);
  await expect(approveButton(page)).toBeVisible();

  const other = await pageOf(people.colleague);
  await other.goto(`${house.url}/suggestions/${seen.id}`);
  await sendBack(other, "We need 100, not 10.");
  await expect.poll(async () => (await house.assistant.intent(intentId)).suggestion?.state).toBe("sent_back");
  const changed = suggestion({ revision: 2, lines: lines.map((line) => ({ ...line, quantity: "100" })) });
  const { suggestion: latest } = await house.assistant.suggest(intentId, changed);
  expect(latest?.revision).toBe(2);

  await approveButton(page).click();
  await expect(refusal(page)).toBeVisible();
  const after = await house.assistant.intent(intentId);
  expect(after.order).toBeNull();
  expect(after.suggestion).toMatchObject({ revision: 2, state: "in_review" });
  expect(await house.supplier.submissions()).toBe(before);
});

test("two wishes with the same lines are two purchases, and the second says so before it is approved", async ({ house, pageOf }) => {
  const before = await house.supplier.submissions();
  const lines = [{ sku: "PALLET-EUR", description: "Euro pallet", quantity: "4", unit: "EA", unit_price: "9.80" }];
  const page = await pageOf(people.buyer);
  const first = await house.assistant.wish("twin", { lines });
  await page.goto(`${house.url}/suggestions/${first.suggestion.id}`);
  await approveButton(page).click();
  const bought = await orderOf(house, first.intentId, "confirmed");

  const second = await house.assistant.wish("twin", { lines });
  await page.goto(`${house.url}/suggestions/${second.suggestion.id}`);
  await expect(page.locator(`a[href='/orders/${bought.id}']`).first()).toBeVisible();
  await page.locator("input[name='second_purchase']").check();
  await approveButton(page).click();
  const boughtToo = await orderOf(house, second.intentId, "confirmed");

  expect(boughtToo.operation_key).not.toBe(bought.operation_key);
  expect(await house.supplier.count(bought.operation_key)).toBe(1);
  expect(await house.supplier.count(boughtToo.operation_key)).toBe(1);
  expect(await house.supplier.submissions()).toBe(before + 2);
});
