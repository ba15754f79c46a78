/** What somebody does who has no mouse: every key goes to what has the focus, nothing is clicked, nothing is given the focus. */

import { expect, type Locator, type Page } from "@playwright/test";

/** So many stops are more than any page has: what is not among them cannot be reached. */
const MOST_STOPS = 250;

export class Keyboard {
  constructor(readonly page: Page) {}

  /** Tab, until this has the focus, and shows it. */
  async to(what: Locator) {
    await this.#walk(what, "Tab");
  }

  /** The same, from the bottom to the top. */
  async backTo(what: Locator) {
    await this.#walk(what, "Shift+Tab");
  }

  async press(what: Locator, key: "Enter" | "Space" = "Enter") {
    await this.to(what);
    await this.page.keyboard.press(key);
  }

  /** Into a field that is empty. */
  async type(field: Locator, text: string) {
    await this.to(field);
    await this.page.keyboard.type(text);
    await expect(field).toHaveValue(text);
  }

  /** A list is left closed: its entries are found by how they begin. */
  async choose(list: Locator, words: string) {
    await this.to(list);
    await this.page.keyboard.type(words);
    await expect(list.locator("option:checked")).toContainText(words);
  }

  /** `day` as 2026-12-04, `time` as 17:00. Each part goes on to the next when it is full; the browser has the month first. */
  async date(field: Locator, day: string, time?: string) {
    const [year = "", month = "", ofMonth = ""] = day.split("-");
    await this.to(field);
    // a year may have six digits, so it does not go on by itself
    await this.page.keyboard.type(`${month}${ofMonth}${year}`);
    if (time) {
      await this.page.keyboard.press("Tab");
      await this.page.keyboard.type(time.replace(":", ""));
    }
    await expect(field).toHaveValue(time ? `${day}T${time}` : day);
  }

  /** Enter, held down for a while after `there` has the focus: a keyboard repeats it. */
  async holdEnter(button: Locator, there: Locator) {
    await this.to(button);
    await this.page.keyboard.down("Enter");
    await expect(there).toBeFocused();
    for (let time = 0; time < 10; time += 1) {
      await this.page.keyboard.down("Enter");
      await this.page.waitForTimeout(40);
    }
    await this.page.keyboard.up("Enter");
  }

  async #walk(what: Locator, key: "Tab" | "Shift+Tab") {
    const stops: string[] = [];
    const isThere = async () => {
      const [here, stop] = await what.evaluate((one) => {
        const focused = document.activeElement;
        return [one === focused, focused?.outerHTML.slice(0, 80) ?? "nothing"] as const;
      });
      stops.push(stop);
      return here;
    };
    while (!(await isThere())) {
      if (stops.length > MOST_STOPS) throw new Error(`${key} does not reach ${what}. It stopped at:\n${stops.join("\n")}`);
      await this.page.keyboard.press(key);
    }
    await expect(what).toBeInViewport();
    const outline = await what.evaluate((one) => getComputedStyle(one).outlineStyle);
    expect(outline, `${what} shows that it has the focus`).not.toBe("none");
  }
}
