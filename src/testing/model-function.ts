/** What a model is asked: a history, and whatever else its library sends along. */
export interface ModelRequest {
  readonly messages: readonly unknown[];
}

/** A part of an answer: words, or a tool that is to be run. */
export type ReplyPart =
  | { text: string }
  | { toolRequest: { name: string; ref?: string; input?: unknown } };

/** A piece of an answer while it streams. */
export interface ModelChunk {
  content: ReplyPart[];
}

/** The whole answer of a model. */
export interface ModelReply {
  message: { role: "model"; content: ReplyPart[] };
  finishReason: "stop";
}

/** Where an answer is streamed to, if anywhere. */
export interface ModelListener {
  readonly sendChunk?: (chunk: ModelChunk) => void;
}

/**
 * A model as tests see it. Fits where Genkit wants one (`standInModel` of `turnkeep/genkit`, or `ai.defineModel` with `apiVersion: "v2"`), and wherever a
 * loop of your own calls a model.
 */
export type ModelFunction = (
  request: ModelRequest,
  listener?: ModelListener,
) => Promise<ModelReply>;

export function replyOf(content: readonly ReplyPart[]): ModelReply {
  return { message: { role: "model", content: [...content] }, finishReason: "stop" };
}
