import type { JsonObject, Message } from "../protocol/index.ts";
import type { JsonShape } from "./json-shape.ts";
import type { Script } from "./script.ts";

/** A tool as a model is told of it. */
export interface ToolShape {
  readonly name: string;
  readonly description: string;
  readonly input: JsonShape;
}

export interface ModelRequest {
  readonly system: string;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolShape[];
  /** What to say where there is no real model. */
  readonly script: Script;
  readonly signal: AbortSignal;
  readonly onText: (text: string) => void;
}

export interface ModelAnswer {
  readonly message: Message;
  readonly usage?: JsonObject;
}

/** Whoever answers for the demo's agents: the script that comes with it, or a language model. */
export interface Model {
  /** Written into every message it made. */
  readonly name: string;
  readonly answer: (request: ModelRequest) => Promise<ModelAnswer>;
}
