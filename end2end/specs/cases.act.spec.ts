import { approveButton, orderOf } from "../support/acts.ts";
import { people } from "../support/house.ts";
import { expect, test } from "../support/test.ts";

test("they confirmed something else: a resolver decides on the order's page, with evidence", async ({ house, pageOf }) => {
  const { intentId, suggestion } = await house.assistant.wish("differs", {
    lines: [{ sku: "DIFFERS", description: "Lamp E27", quantity: "60", unit: "EA", unit_price: "3.20" }],
  });
  await house.supplier.faults([{ on: "submit", do: "store_with_differences" }]);
  const buyer = await pageOf(people.buyer);
  await buyer.goto(`${house.url}/suggestions/${suggestion.id}`);
  await approveButton(buyer).click();
  const order = await orderOf(house, intentId, "confirmed");

  // a buyer sees why the decision is not theirs
  await buyer.goto(`${house.url}/orders/${order.id}`);
  await expect(buyer.getByRole("button", { name: "Decide" })).toBeDisabled();
  await expect(buyer.getByRole("main")).toContainText("Your roles do not let you close cases");

  const page = await pageOf(people.resolver);
  await page.goto(`${house.url}/orders/${order.id}`);
  const form = page.locator("form[action='/act/close_case']");
  await page.locator("details", { has: form }).locator("summary").first().click();
  await form.getByLabel("Take what they confirmed").check();
  await form.getByRole("button", { name: "Close this case" }).click();
  // nothing is closed without evidence, and what was chosen stays chosen
  await expect(page.getByRole("alert")).toContainText(/reason/i);
  await expect(form.getByLabel("Take what they confirmed")).toBeChecked();
  await form.getByLabel("Evidence and reason").fill("Ms Berg says one fewer is all they have; that is enough.");
  await form.getByRole("button", { name: "Close this case" }).click();

  await expect(page).toHaveURL(`${house.url}/orders/${order.id}`);
  const history = page.getByRole("region", { name: "What happened" });
  await expect(history).toContainText("decided: take what they confirmed");
  await expect(history).toContainText("that is enough");
  await expect(form).toHaveCount(0);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
});
