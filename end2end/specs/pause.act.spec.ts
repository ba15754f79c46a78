import { approveButton, withReason } from "../support/acts.ts";
import { House, people } from "../support/house.ts";
import { expect, test as base } from "../support/test.ts";

/** A house that is copied belongs to this file alone. */
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

test("on copied data nothing goes out before it was looked up and released, and a manager ends the pause", async ({ house, pageOf }) => {
  test.slow(); // it stops and starts the desk on the way
  const { intentId, suggestion: waiting } = await house.assistant.wish("before-the-gap");
  await house.supplier.faults([{ on: "submit", do: "429" }]);
  const buyer = await pageOf(people.buyer);
  await buyer.goto(`${house.url}/suggestions/${waiting.id}`);
  await approveButton(buyer).click();
  await expect.poll(async () => (await house.assistant.intent(intentId)).order?.id).toBeTruthy();
  const id = (await house.assistant.intent(intentId)).order?.id ?? "";
  await expect.poll(async () => (await house.assistant.order(id)).attempts[0]?.reply).toBe("not_sent");

  // a page that follows its order asks for it while the desk is away, and the browser complains
  await buyer.goto("about:blank");
  await house.startOnAnotherMachine();

  const manager = await pageOf(people.manager);
  await manager.goto(house.url);
  const main = manager.getByRole("main");
  await expect(main).toContainText("nothing goes out by itself");
  await expect(main).toContainText("copied from another machine");
  await expect(main.getByRole("button", { name: "End the pause" })).toBeDisabled();
  await main.getByRole("link", { name: "1 order from before the gap is held" }).click();
  await main.getByRole("link", { name: /Hex bolt/ }).first().click();
  await expect(manager).toHaveURL(`${house.url}/orders/${id}`);
  await expect(main).toContainText("may have this order already");

  await withReason(manager, "release", "they have no record of it");
  await expect.poll(async () => (await house.assistant.order(id)).state).toBe("confirmed");
  expect(await house.supplier.count((await house.assistant.order(id)).operation_key)).toBe(1);

  await manager.goto(house.url);
  await withReason(manager, "end_pause", "the old machine is switched off");
  await expect(manager).toHaveURL(`${house.url}/`);
  await expect(main).not.toContainText("nothing goes out by itself");
});
