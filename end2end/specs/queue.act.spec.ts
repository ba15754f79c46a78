import type { Page } from "@playwright/test";
import { day, lostOrder } from "../support/acts.ts";
import type { Order } from "../support/desk.ts";
import { House, type Person, people } from "../support/house.ts";
import { Keyboard } from "../support/keyboard.ts";
import { expectAccessible } from "../support/looks.ts";
import { expect, test as base } from "../support/test.ts";

const settings = {
  COUNTERSIGN_REQUEST_DEADLINE: "1s",
  COUNTERSIGN_SEND_BY: "1s",
  COUNTERSIGN_LEASE: "2500ms",
  // nothing is asked by itself: what brings an order home was pressed
  COUNTERSIGN_LOOK_UP_FIRST: "30m",
  COUNTERSIGN_LOOK_UP_MOST: "30m",
};

/** Who is away in a house is away for everybody, so this file has one to itself. */
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

// a picture of the page at every key is more than a machine can do
test.use({ trace: "off" });

test("by keyboard only a manager assigns five unowned orders and a resolver works through three", async ({ house, pageOf }) => {
  test.setTimeout(240_000);
  const { resolver, manager } = people;

  const rita = new Keyboard(await pageOf(resolver));
  await signIn(house, rita, resolver);
  await goTo(rita, "People");
  await expectAccessible(rita.page);
  const mine = rita.page.getByRole("row", { name: resolver.name });
  await rita.press(mine.locator("summary"));
  await rita.date(mine.getByLabel("Last day"), day(7));
  await rita.press(mine.getByRole("button", { name: "Save" }));
  await expect(mine).toContainText("Away");

  const buyer = await pageOf(people.buyer);
  const orders: Order[] = [];
  for (const word of ["first", "second", "third", "fourth", "fifth"]) orders.push(await lostOrder(house, buyer, word));

  await rita.press(mine.getByRole("button", { name: `${resolver.name} is there` }));
  await expect(mine).not.toContainText("Away");

  const mia = new Keyboard(await pageOf(manager));
  await signIn(house, mia, manager);
  const attention = mia.page.getByRole("region", { name: "Late, nobody at it, or about no order" });
  await expect(attention.getByText("Nobody at it", { exact: true })).toHaveCount(5);
  for (const left of [5, 4, 3, 2, 1]) {
    await filterUnowned(mia);
    const goods = attention.locator("a.goods");
    await expect(goods).toHaveCount(left);
    if (left === 5) await expectAccessible(mia.page);
    await mia.press(goods.first());
    await assign(mia, resolver);
    if (left === 5) await expectAccessible(mia.page);
    await goTo(mia, "Queue");
  }
  await filterUnowned(mia);
  await expect(mia.page.getByRole("main")).toContainText("Nothing here is like what you asked for.");
  await expect(mia.page.getByRole("main").locator("a.goods")).toHaveCount(0);
  await expectAccessible(mia.page);
  for (const order of orders) {
    expect((await house.assistant.order(order.id)).case?.due_at).toBe(`${day(3)}T16:00:00Z`);
  }
  const sent = await house.supplier.submissions();
  expect(sent).toBe(5);

  const acts = [lookUp, resume, recordFinding];
  for (const [place, act] of acts.entries()) {
    await goTo(rita, "Queue");
    await rita.press(rita.page.getByRole("checkbox", { name: "Mine" }), "Space");
    await rita.press(rita.page.getByRole("button", { name: "Show" }));
    await expect(rita.page).toHaveURL(/mine=yes/);
    const order = orders[place] as Order;
    if (place === 0) await expectAccessible(rita.page);
    await rita.press(rita.page.locator(`a.goods[href='/orders/${order.id}']`));
    await expect(status(rita.page)).toBeFocused();
    if (place === 0) await expectAccessible(rita.page);
    await act(house, rita, order);
    await expect.poll(async () => (await house.assistant.order(order.id)).state).toBe("confirmed");
    // a page that looks again by itself gives the focus to the status each time
    await expect(rita.page.getByRole("main").locator(".status-line")).toContainText("Confirmed", { timeout: 15_000 });
    await expect(rita.page.locator(".follow")).toHaveCount(0);
    await expect(status(rita.page)).toBeFocused();
    await expect(rita.page).toHaveURL(`${house.url}/orders/${order.id}`);
    await expectAccessible(rita.page);
  }

  for (const order of orders) expect(await house.supplier.count(order.operation_key)).toBe(1);
  // resuming one sent it once more, under its key; a held Enter sent nothing
  expect(await house.supplier.submissions()).toBe(sent + 1);
});

test("a key that repeats before there is an answer resumes once, and whoever pressed it is told that it was they", async ({
  house,
  pageOf,
}) => {
  const order = await lostOrder(house, await pageOf(people.buyer), "twice");
  const before = await house.supplier.submissions();
  const page = await pageOf(people.resolver);
  await page.goto(`${house.url}/orders/${order.id}`);
  await new Keyboard(page).to(page.getByRole("button", { name: "Resume the purchase" }));
  // the desk has done what the first press asked for, and the answer is still on its way
  await page.route("**/act/resume", (route) => route.fetch({ maxRedirects: 0 }), { times: 1 });
  await page.keyboard.down("Enter");
  await expect.poll(async () => (await house.assistant.order(order.id)).version).toBeGreaterThan(order.version);
  await page.keyboard.down("Enter");
  await page.keyboard.up("Enter");
  await expect.poll(async () => (await house.assistant.order(order.id)).state).toBe("confirmed");
  await expect(page.getByRole("main")).toContainText("confirmed exactly what was approved", { timeout: 15_000 });
  expect(await house.supplier.submissions()).toBe(before + 1);
  expect(await house.supplier.count(order.operation_key)).toBe(1);
  await expect(page.getByRole("main")).toContainText(`already done by ${people.resolver.name}`);
});

function status(page: Page) {
  return page.locator("#status");
}

async function signIn(house: House, by: Keyboard, person: Person) {
  // the page that is left listens, and would be told that nobody is signed in
  await by.page.goto("about:blank");
  await by.page.context().clearCookies();
  await by.page.goto(`${house.url}/sign-in`);
  await expect(by.page.getByLabel(/e-?mail/i)).toBeFocused();
  await expectAccessible(by.page);
  await by.page.keyboard.type(person.email);
  await by.type(by.page.getByLabel(/password/i), person.password);
  await by.page.keyboard.press("Enter");
  await by.page.waitForURL((at) => at.pathname === "/");
}

/** By the main navigation, which stands before everything else. */
async function goTo(by: Keyboard, place: "Queue" | "People") {
  const link = by.page.getByRole("navigation", { name: "Main" }).getByRole("link", { name: place });
  await by.backTo(link);
  await by.page.keyboard.press("Enter");
  await by.page.waitForURL((at) => at.pathname === (place === "Queue" ? "/" : "/people") && at.search === "");
}

async function filterUnowned(by: Keyboard) {
  await by.press(by.page.getByRole("checkbox", { name: "Nobody at it" }), "Space");
  await by.press(by.page.getByRole("button", { name: "Show" }));
  await expect(by.page).toHaveURL(/unowned=yes/);
}

async function assign(by: Keyboard, to: Person) {
  await expect(status(by.page)).toBeFocused();
  const form = by.page.locator("form[action='/act/assign']");
  await by.press(by.page.locator("details", { has: form }).locator("summary"));
  await by.choose(form.getByLabel("To whom"), to.name);
  await by.date(form.getByLabel("Due"), day(3), "17:00");
  await by.type(form.getByLabel("Reason"), "Rita is back and knows them.");
  await by.press(form.getByRole("button", { name: "Hand over" }));
  await expect(by.page.getByLabel("Owner and deadline")).toContainText(to.name);
  await expect(status(by.page)).toBeFocused();
}

async function lookUp(_: House, by: Keyboard) {
  await by.holdEnter(by.page.getByRole("button", { name: /^look up/i }), status(by.page));
}

async function resume(_: House, by: Keyboard) {
  await by.holdEnter(by.page.getByRole("button", { name: "Resume the purchase" }), status(by.page));
}

async function recordFinding(house: House, by: Keyboard, order: Order) {
  const number = await house.supplier.numberOf(order.operation_key);
  const form = by.page.locator("form[action='/act/record_finding']");
  await by.press(by.page.locator("details", { has: form }).locator("summary"));
  await by.press(form.getByLabel(/has it|have it/i).first(), "Space");
  await by.type(form.getByLabel(/number of the order/i), number);
  await by.type(form.getByLabel(/evidence/i), "Called at noon; Ms Berg read me their number.");
  await by.holdEnter(form.getByRole("button", { name: "Record this" }), status(by.page));
}
