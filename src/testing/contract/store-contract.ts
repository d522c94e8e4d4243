import { appendCases } from "./append-cases.ts";
import { commitCases } from "./commit-cases.ts";
import type { ContractCase } from "./contract-case.ts";
import { dueCases } from "./due-cases.ts";
import { lifecycleCases } from "./lifecycle-cases.ts";
import { listCases } from "./list-cases.ts";
import { loadCases } from "./load-cases.ts";
import { raceCases } from "./race-cases.ts";
import { rangeCases } from "./range-cases.ts";
import { surveyCases } from "./survey-cases.ts";
import { tenantCases } from "./tenant-cases.ts";
import { valueCases } from "./value-cases.ts";
import { watchCases } from "./watch-cases.ts";

/** Everything a driver promises to the ledger. Plain data: run it with any test runner, or with `runContract`. */
export const storeContract: readonly ContractCase[] = [
  ...loadCases,
  ...commitCases,
  ...raceCases,
  ...appendCases,
  ...rangeCases,
  ...dueCases,
  ...listCases,
  ...surveyCases,
  ...tenantCases,
  ...watchCases,
  ...valueCases,
  ...lifecycleCases,
];
