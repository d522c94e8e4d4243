export type { CaseTools, ContractCase, StoreTools } from "./contract/contract-case.ts";
export {
  type ContractFailure,
  type ContractReport,
  runCase,
  runContract,
} from "./contract/run-contract.ts";
export { storeContract } from "./contract/store-contract.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export { activeTurn, headRecord } from "./head-record.ts";
export { sequentialIds } from "./sequential-ids.ts";
