export { crashtest, type CrashReport, type CrashRound, type CrashScenario } from "./crashtest.ts";
export type { CaseTools, ContractCase, StoreTools } from "./contract/contract-case.ts";
export {
  type ContractFailure,
  type ContractReport,
  runCase,
  runContract,
} from "./contract/run-contract.ts";
export { storeContract } from "./contract/store-contract.ts";
export { type FakeClock, fakeClock } from "./fake-clock.ts";
export { forkIntoTest, type ForkIntoTestOptions } from "./fork-into-test.ts";
export { activeTurn, headRecord } from "./head-record.ts";
export type {
  ModelChunk,
  ModelFunction,
  ModelListener,
  ModelReply,
  ModelRequest,
  ReplyPart,
} from "./model-function.ts";
export { RecordedModel } from "./recorded-model.ts";
export { ScriptedModel, type ScriptedReply } from "./scripted-model.ts";
export { sequentialIds } from "./sequential-ids.ts";
