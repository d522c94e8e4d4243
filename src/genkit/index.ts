export {
  fromGenkitChunk,
  fromGenkitMessages,
  fromGenkitPart,
  toGenkitMessages,
} from "./between-types.ts";
export type { AgentChat, ChatStart } from "./agent-chat.ts";
export { defineAgent } from "./define-agent.ts";
export { defineCustomAgent } from "./define-custom-agent.ts";
export { defineGeneratorAgent, type GenkitLoopTypes } from "./define-generator-agent.ts";
export { definePromptAgent } from "./define-prompt-agent.ts";
export {
  createFlowHandler,
  type FlowAuthenticate,
  type FlowCaller,
  type FlowHandler,
  type FlowHandlerOptions,
} from "./flow-handler.ts";
export type {
  AgentAction,
  CompanionAction,
  GenkitAgent,
  GenkitAgentMembers,
} from "./genkit-agent.ts";
export { journalTools } from "./journal-tools.ts";
export type { AnySchema } from "./json-schema.ts";
export type {
  AnswerOf,
  AnyPrompt,
  GenerationOptions,
  InlineAgentOptions,
  JsonUnless,
  OutputShape,
  PromptAgentOptions,
  PromptInput,
} from "./prompt-agent-options.ts";
export {
  agentsOf,
  type GenkitAgents,
  registerAgent,
  type RegisterOptions,
} from "./register-agent.ts";
export { shareTracing } from "./share-tracing.ts";
export { type StandIn, standInModel } from "./stand-in-model.ts";
export type { SubAgent, SubAgentOptions } from "./sub-agent.ts";
export { toolCall, type ToolCall } from "./tool-call.ts";
