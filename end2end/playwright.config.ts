import { defineConfig } from "@playwright/test";

/** Debian's Chromium, by itself: nothing to download, and nothing it calls home about. */
const chromium = {
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    // date fields are typed month first, whatever the machine speaks
    "--lang=en-US",
  ],
};

const wide = { width: 1280, height: 900 };
const narrow = { width: 360, height: 740 };

export default defineConfig({
  testDir: "specs",
  outputDir: "test-results",
  fullyParallel: false,
  workers: 2,
  retries: 0,
  forbidOnly: Boolean(process.env.CI),
  timeout: 60_000,
  expect: { timeout: 15_000 },
  reporter: [["list"], ["./support/closing-line.ts"]],
  use: {
    browserName: "chromium",
    launchOptions: chromium,
    locale: "en-GB",
    timezoneId: "Europe/Berlin",
    screenshot: "only-on-failure",
    trace: "retain-on-failure",
  },
  // `*.act.spec.ts` does things and must work both ways; `*.look.spec.ts` looks at pages in both widths.
  projects: [
    { name: "with JavaScript", testIgnore: "**/*.look.spec.ts", use: { viewport: wide } },
    { name: "without JavaScript", testMatch: "**/*.act.spec.ts", use: { viewport: wide, javaScriptEnabled: false } },
    { name: "1280 px", testMatch: "**/*.look.spec.ts", use: { viewport: wide } },
    { name: "360 px", testMatch: "**/*.look.spec.ts", use: { viewport: narrow } },
  ],
});
