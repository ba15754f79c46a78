import { approveButton, orderOf } from "../support/acts.ts";
import { people } from "../support/house.ts";
import { expect, test } from "../support/test.ts";

test("a case is handed over on paper: its sheet is one link from the order, has nothing to press, and prints on one page", async ({ house, pageOf }) => {
  // lines of its own: what looks like another test's order is not approved at one press
  const { intentId, suggestion } = await house.assistant.wish("sheet", {
    lines: [{ sku: "SHEET-A4", description: "Paper A4 80 g", quantity: "10", unit: "EA", unit_price: "3.90" }],
  });
  await house.supplier.faults([{ on: "submit", do: "store_then_close" }]);
  const buyer = await pageOf(people.buyer);
  await buyer.goto(`${house.url}/suggestions/${suggestion.id}`);
  await approveButton(buyer).click();
  const order = await orderOf(house, intentId, "confirmation_pending");

  const page = await pageOf(people.resolver);
  await page.goto(`${house.url}/orders/${order.id}`);
  await page.getByRole("link", { name: "Hand-over sheet" }).click();
  await expect(page).toHaveURL(`${house.url}/cases/${order.case?.id}`);
  const main = page.getByRole("main");
  for (const question of ["What did we send?", "What may I do now, until when?", "What must I not do, and why?"]) {
    await expect(main.getByRole("heading", { name: question })).toBeVisible();
  }
  await expect(main).toContainText(order.operation_key);
  await expect(main.getByRole("button")).toHaveCount(0);
  await expect(page.getByRole("heading", { name: "Notes" })).toBeHidden();

  // on paper: no navigation, room for a pen, one page, black on white also for who likes it dark
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expect(page.getByRole("navigation")).toBeHidden();
  await expect(page.getByRole("link", { name: "Back to the order" })).toBeHidden();
  await expect(page.getByRole("heading", { name: "Notes" })).toBeVisible();
  const colours = await page.evaluate(() => {
    const { color, backgroundColor } = getComputedStyle(document.querySelector(".sheet") as Element);
    return { ink: color, paper: backgroundColor };
  });
  expect(colours).toEqual({ ink: "rgb(0, 0, 0)", paper: "rgb(255, 255, 255)" });
  const pdf = (await page.pdf({ format: "A4", preferCSSPageSize: true })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b(?!s)/g)).toHaveLength(1);

  await page.emulateMedia({ media: "screen" });
  await page.getByRole("link", { name: "Back to the order" }).click();
  await expect(page).toHaveURL(`${house.url}/orders/${order.id}`);
});
