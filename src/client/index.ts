export type {
  AbortResult,
  AgentStream,
  CallOptions,
  Connection,
  DetachedRun,
  RunUpdate,
  SessionList,
} from "./agent-types.ts";
export type { ClientPorts } from "./client-ports.ts";
export { genkitProtocol } from "./genkit-agent.ts";
export type { Reconnect } from "./patience.ts";
export {
  type Protocol,
  type RemoteAgent,
  remoteAgent,
  type RemoteAgentOptions,
} from "./remote-agent.ts";
export type { ChatAgent, ChatOptions } from "./chat-agent.ts";
export { ChatController } from "./chat-controller.ts";
export type { ChatStorage } from "./chat-memory.ts";
export type { ChatState, ChatStatus } from "./chat-state.ts";
export { type Interrupt, interruptsOf } from "./interrupts.ts";
export { mergeResumes, type OpenInterrupt, openInterrupts } from "../protocol/index.ts";
