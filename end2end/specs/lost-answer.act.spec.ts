import { approveButton, orderOf } from "../support/acts.ts";
import { people } from "../support/house.ts";
import { expect, test } from "../support/test.ts";

test("a lost answer is shown as confirmation pending, with an owner, and nothing is sent again", async ({ house, pageOf }) => {
  const before = await house.supplier.submissions();
  const { intentId, suggestion: waiting } = await house.assistant.wish("lost-answer", {
    lines: [{ sku: "LAMP-E27", description: "Lamp E27", quantity: "60", unit: "EA", unit_price: "3.20" }],
  });
  await house.supplier.faults([{ on: "submit", do: "store_then_close" }]);
  const page = await pageOf(people.buyer);
  await page.goto(`${house.url}/suggestions/${waiting.id}`);
  await approveButton(page).click();

  const order = await orderOf(house, intentId, "confirmation_pending");
  expect(order.case).toMatchObject({ kind: "pending" });
  expect(order.attempts).toHaveLength(1);
  // The page follows its order by itself, and the bookmark says the same.
  await expect(page.getByRole("main")).toContainText("Confirmation pending", { timeout: 15_000 });
  await page.goto(`${house.url}/orders/${order.id}`);
  await expect(page.getByRole("main")).toContainText("Confirmation pending");
  // The owner stands on the page: the only resolver of this house.
  await expect(page.getByRole("main")).toContainText(people.resolver.name);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
  expect(await house.supplier.submissions()).toBe(before + 1);
});
