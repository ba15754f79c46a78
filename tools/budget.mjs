// The browser build's budget: what a person waits for on a slow line before a page comes alive.
import fs from "node:fs";

const BUDGET = 100_000;
const raw = new URL("../dist/site/pkg/countersign.wasm", import.meta.url);
const size = fs.statSync(raw).size;
const sent = fs.statSync(`${raw.pathname}.br`).size;
const kB = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

console.log(`WASM: ${kB(size)}, ${kB(sent)} with brotli; the budget is ${kB(BUDGET)}`);
if (sent > BUDGET) {
  console.error("Over the budget. What reaches the browser is domain, calls and ui: look for what an island pulls in.");
  process.exit(1);
}
