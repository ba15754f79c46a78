import { approveButton, orderOf, refusal } from "../support/acts.ts";
import { people } from "../support/house.ts";
import { expect, test } from "../support/test.ts";

test("the first order is settled, then a changed one is approved as a second purchase", async ({ house, pageOf }) => {
  const { intentId, suggestion } = await house.assistant.wish("change", {
    lines: [
      { sku: "CHANGE-1", description: "Lamp E27", quantity: "60", unit: "EA", unit_price: "3.20" },
      { sku: "CHANGE-2", description: "Socket E27", quantity: "60", unit: "EA", unit_price: "1.10" },
    ],
  });
  await house.supplier.faults([{ on: "submit", do: "store_then_close" }]);
  const buyer = await pageOf(people.buyer);
  await buyer.goto(`${house.url}/suggestions/${suggestion.id}`);
  await approveButton(buyer).click();
  const first = await orderOf(house, intentId, "confirmation_pending");

  // the way to the form, from the page of the order in doubt
  await buyer.goto(`${house.url}/orders/${first.id}`);
  await buyer.getByRole("link", { name: "Change it" }).click();
  await expect(buyer).toHaveURL(`${house.url}/orders/${first.id}/change`);
  const form = buyer.locator("form[action='/act/revise']");
  const line = (number: number) => form.getByRole("group", { name: `Line ${number}`, exact: true });
  await line(1).getByLabel("Quantity").fill("some");
  await line(2).getByLabel("Leave this line out").check();
  await form.getByRole("button", { name: "Put the change up for review" }).click();
  // what cannot be read is named, and what was typed stays
  await expect(refusal(buyer)).toContainText(/line 1: quantity/i);
  await expect(line(1).getByLabel("Quantity")).toHaveValue("some");
  await expect(line(2).getByLabel("Leave this line out")).toBeChecked();
  await line(1).getByLabel("Quantity").fill("72");
  await form.getByRole("button", { name: "Put the change up for review" }).click();

  await expect(buyer).toHaveURL(/\/suggestions\/sug_/);
  const main = buyer.getByRole("main");
  await expect(main).toContainText("Changed by");
  await expect(main).toContainText(people.buyer.name);
  await expect(buyer.getByRole("region", { name: /changes? since version 1/ })).toContainText("72");
  // blocked by the first, which is linked
  await expect(approveButton(buyer)).toBeDisabled();
  await expect(main.getByRole("link", { name: first.id })).toBeVisible();
  const changed = buyer.url();

  const resolver = await pageOf(people.resolver);
  await resolver.goto(`${house.url}/orders/${first.id}`);
  await resolver.getByRole("button", { name: /^look up/i }).click();
  await orderOf(house, intentId, "confirmed");

  await buyer.goto(changed);
  await approveButton(buyer).click();
  await expect(refusal(buyer)).toContainText(/do you want it twice/i);
  await buyer.getByLabel("Yes, this is a second purchase").check();
  await approveButton(buyer).click();
  await expect(buyer).toHaveURL(/\/orders\/po_/);
  await expect.poll(async () => (await house.assistant.intent(intentId)).order?.id).not.toBe(first.id);
  const second = await orderOf(house, intentId, "confirmed");
  expect(await house.supplier.count(first.operation_key)).toBe(1);
  expect(await house.supplier.count(second.operation_key)).toBe(1);
  await buyer.goto(`${house.url}/orders/${second.id}`);
  await expect(buyer.getByRole("main").getByRole("link", { name: first.id })).toBeVisible();
});
