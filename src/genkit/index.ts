export {
  fromGenkitChunk,
  fromGenkitMessages,
  fromGenkitPart,
  toGenkitMessages,
} from "./between-types.ts";
export { defineAgent } from "./define-agent.ts";
export { defineCustomAgent } from "./define-custom-agent.ts";
export { defineGeneratorAgent, type GenkitLoopTypes } from "./define-generator-agent.ts";
export { definePromptAgent } from "./define-prompt-agent.ts";
export type { AnySchema } from "./json-schema.ts";
export type {
  GenerationOptions,
  InlineAgentOptions,
  OutputShape,
  PromptAgentOptions,
  PromptInput,
} from "./prompt-agent-options.ts";
export { shareTracing } from "./share-tracing.ts";
export { type StandIn, standInModel } from "./stand-in-model.ts";
export type { SubAgent } from "./sub-agent.ts";
export { toolCall, type ToolCall } from "./tool-call.ts";
