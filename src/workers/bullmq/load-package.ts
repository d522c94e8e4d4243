import type * as bullmq from "bullmq";
import type * as ioredis from "ioredis";
import type * as pg from "pg";
import { TurnkeepError } from "../../protocol/index.ts";

interface Packages {
  readonly bullmq: typeof bullmq;
  readonly ioredis: typeof ioredis;
  readonly pg: typeof pg;
}

/**
 * A package that is there only where there are workers.
 *
 * @throws TurnkeepError FAILED_PRECONDITION when it is not.
 */
export async function loadPackage<Name extends keyof Packages>(
  name: Name,
): Promise<Packages[Name]> {
  try {
    return (await import(name)) as Packages[Name];
  } catch (cause) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `Workers on this queue need the package '${name}': run "npm install ${name}".`,
      { cause, details: { package: name } },
    );
  }
}
