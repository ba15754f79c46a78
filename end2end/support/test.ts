import { type Browser, test as base, expect, type Page, type TestInfo } from "@playwright/test";
import { House, type Person } from "./house.ts";

interface PerTest {
  /** A page for this person, signed in, in a browser context of its own. */
  pageOf: (person: Person) => Promise<Page>;
}
interface PerWorker {
  house: House;
}

export const test = base.extend<PerTest, PerWorker>({
  house: [
    async ({}, use) => {
      const house = await House.open();
      await use(house);
      await house.close();
    },
    { scope: "worker", timeout: 120_000 },
  ],

  pageOf: async ({ browser, house, contextOptions, viewport, javaScriptEnabled, colorScheme, locale, timezoneId }, use, testInfo) => {
    const complaints: string[] = [];
    const opened: Page[] = [];
    await use(async (person) => {
      const page = await open(browser, { ...contextOptions, viewport, javaScriptEnabled, colorScheme, locale, timezoneId });
      opened.push(page);
      // A page that throws, breaks its own security policy or hydrates to something else is broken, whatever it shows.
      page.on("pageerror", (error) => complaints.push(`${page.url()}: ${error.message}`));
      page.on("console", (message) => {
        if (message.type() === "error") complaints.push(`${page.url()}: ${message.text()}`);
      });
      await house.signIn(page, person);
      return page;
    });
    if (failed(testInfo)) {
      await testInfo.attach("what the programs said", { body: house.logs, contentType: "text/plain" });
      console.log(house.logs.split("\n").slice(-60).join("\n"));
    }
    await Promise.all(opened.map((page) => page.context().close()));
    expect(complaints, "the browser's console").toEqual([]);
  },
});

function failed(testInfo: TestInfo) {
  return testInfo.status !== testInfo.expectedStatus;
}

async function open(browser: Browser, options: Parameters<Browser["newContext"]>[0]): Promise<Page> {
  const context = await browser.newContext(options);
  return context.newPage();
}

export { expect };
