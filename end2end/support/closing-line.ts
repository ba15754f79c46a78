import type { Reporter, TestCase } from "@playwright/test/reporter";

/** One last line in the form every runner of the project ends with. */
export default class ClosingLine implements Reporter {
  #tests = new Set<TestCase>();

  onTestEnd(test: TestCase) {
    this.#tests.add(test);
  }

  onExit() {
    const counted = (outcome: string) => [...this.#tests].filter((test) => test.outcome() === outcome).length;
    const passed = counted("expected") + counted("flaky");
    const skipped = counted("skipped");
    console.log(`end2end: ${passed} passed, ${counted("unexpected")} failed${skipped > 0 ? `, ${skipped} skipped` : ""}`);
    return Promise.resolve();
  }

  printsToStdio() {
    return false;
  }
}
