import fs from "node:fs";
import path from "node:path";
import type { Page } from "@playwright/test";
import { approveButton, day, orderOf } from "../support/acts.ts";
import { House, type Person, people } from "../support/house.ts";
import { expectAccessible } from "../support/looks.ts";
import { expect, test as base } from "../support/test.ts";

const settings = {
  // nothing is asked by itself: what is in doubt stays so while it is looked at
  COUNTERSIGN_LOOK_UP_FIRST: "30m",
  COUNTERSIGN_LOOK_UP_MOST: "30m",
  COUNTERSIGN_MAIL_FIRST: "5s",
  COUNTERSIGN_MAIL_MOST: "5s",
  COUNTERSIGN_MAIL_GIVE_UP: "5s",
};

const test = base.extend<object, { house: House }>({
  house: [
    async ({}, use) => {
      // nobody listens there: messages wait, and are given up after the second try
      const house = await House.open({ worker: "inside", settings, mailServer: "smtp://localhost:1" });
      await use(house);
      await house.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],
});

/** Every page of the house, in a state worth looking at. A page that is not here is not looked at. */
const pages: { name: string; as?: Person; path: (house: House, page: Page) => Promise<string> }[] = [
  { name: "sign-in", path: async () => "/sign-in" },
  { name: "queue", path: async (house) => (await house.assistant.wish("look-queue"), "/") },
  { name: "queue-mine", as: people.resolver, path: async (house, page) => (await pendingOf(house, page, people.resolver), "/?mine=yes") },
  { name: "queue-unowned", as: people.manager, path: async (house, page) => (await unownedOf(house, page), "/?unowned=yes") },
  { name: "queue-supplier", path: async (house) => (await house.assistant.wish("look-supplier"), "/?supplier=practice") },
  { name: "queue-section", path: async (house) => (await house.assistant.wish("look-section"), "/?section=review") },
  { name: "queue-unreadable", path: async () => "/?section=nowhere&supplier=nobody" },
  { name: "queue-found", path: (house, page) => foundBy(house, page) },
  { name: "queue-found-nothing", path: async () => "/?q=nothing-is-called-so" },
  { name: "review", path: async (house) => `/suggestions/${(await house.assistant.wish("look-review")).suggestion.id}` },
  { name: "activity", path: async (house) => (await house.assistant.wish("look-activity"), "/activity") },
  { name: "messages", as: people.manager, path: async (house, page) => (await pendingOf(house, page, people.manager), "/messages") },
  { name: "people", as: people.manager, path: async () => "/people" },
  { name: "hand-over", as: people.manager, path: (house, page) => handOverOf(house, page) },
  { name: "order-confirmed", path: (house, page) => orderIn(house, page, "confirmed") },
  { name: "change", path: async (house, page) => `${await orderIn(house, page, "confirmed")}/change` },
  { name: "order-pending", path: (house, page) => orderIn(house, page, "confirmation_pending") },
  { name: "sheet-pending", path: (house, page) => sheetOf(house, page) },
];

for (const { name, as: viewer = people.buyer, path: place } of pages) {
  test(`${name} is accessible, fits its width, and can be looked at`, async ({ house, pageOf }, testInfo) => {
    const page = await pageOf(viewer);
    await page.goto(house.url + (await place(house, page)));
    if (name === "sign-in") await page.context().clearCookies().then(() => page.goto(`${house.url}/sign-in`));
    await expect(page.getByRole("heading", { level: 1 })).toBeVisible();

    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      await expectAccessible(page, colorScheme);
      const { wide, room } = await page.evaluate(() => ({
        wide: document.documentElement.scrollWidth,
        room: document.documentElement.clientWidth,
      }));
      expect(wide, "the page scrolls sideways").toBeLessThanOrEqual(room);
      await picture(page, `${name}-${testInfo.project.name.replace(/\W+/g, "")}-${colorScheme}`);
    }
  });
}

/** Keeps a picture when `COUNTERSIGN_PICTURES` names a folder. */
async function picture(page: Page, name: string) {
  const folder = process.env.COUNTERSIGN_PICTURES;
  if (!folder) return;
  fs.mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: path.join(folder, `${name}.png`), fullPage: true });
}

async function orderIn(house: House, page: Page, state: "confirmed" | "confirmation_pending"): Promise<string> {
  const sku = `${state}-${Date.now()}`.replace(/_/g, "-");
  const { intentId, suggestion } = await house.assistant.wish(`look-${state}`, {
    lines: [{ sku, description: "Cable tie 200 mm", quantity: "500", unit: "EA", unit_price: "3.40", price_per: "100" }],
  });
  if (state === "confirmation_pending") await house.supplier.faults([{ on: "submit", do: "store_then_close" }]);
  await page.goto(`${house.url}/suggestions/${suggestion.id}`);
  await approveButton(page).click();
  return `/orders/${(await orderOf(house, intentId, state)).id}`;
}

/** A search by an article of which there are several; the first letters of an order's id would do as well. */
async function foundBy(house: House, page: Page): Promise<string> {
  await orderIn(house, page, "confirmed");
  await orderIn(house, page, "confirmation_pending");
  return "/?q=confirm";
}

/** The sheet of a pending order's case. */
async function sheetOf(house: House, page: Page): Promise<string> {
  await page.goto(house.url + (await orderIn(house, page, "confirmation_pending")));
  const sheet = await page.getByRole("link", { name: "Hand-over sheet" }).getAttribute("href");
  if (!sheet) throw new Error("the order's page leads to no sheet");
  return sheet;
}

/** An order in doubt that a buyer made, and `viewer` looks at. */
async function pendingOf(house: House, page: Page, viewer: Person) {
  await house.signIn(page, people.buyer);
  await orderIn(house, page, "confirmation_pending");
  await page.goto("about:blank");
  await house.signIn(page, viewer);
}

/** An order that came in while the only resolver was away. */
async function unownedOf(house: House, page: Page) {
  const { resolver, manager } = people;
  const row = page.getByRole("row", { name: resolver.name });
  await page.goto(`${house.url}/people`);
  await row.locator("summary").click();
  await row.getByLabel("Last day").fill(day(7));
  await row.getByRole("button", { name: "Save" }).click();
  await expect(row).toContainText("Away");
  await pendingOf(house, page, manager);
  await page.goto(`${house.url}/people`);
  await row.getByRole("button", { name: `${resolver.name} is there` }).click();
  await expect(row).not.toContainText("Away");
}

/** The list of the resolver's open cases. */
async function handOverOf(house: House, page: Page): Promise<string> {
  await orderIn(house, page, "confirmation_pending");
  await page.goto(`${house.url}/people`);
  const list = await page.getByRole("link", { name: `Hand over the cases of ${people.resolver.name}` }).getAttribute("href");
  if (!list) throw new Error("the page of people leads to no list");
  return list;
}
