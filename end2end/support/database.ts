import { execFileSync } from "node:child_process";
import path from "node:path";
import { repository } from "./processes.ts";

/**
 * What tells a desk where its database is: a new one on the PostgreSQL that `COUNTERSIGN_TEST_POSTGRES` names, and
 * nothing for the file that it makes in its own folder.
 */
export function emptyDatabase(): NodeJS.ProcessEnv {
  if (!process.env.COUNTERSIGN_TEST_POSTGRES) return {};
  const made = execFileSync(path.join(repository, "tools/postgres.sh"), ["database"], { encoding: "utf8" });
  return { DATABASE_URL: made.trim() };
}
