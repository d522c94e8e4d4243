import type { AgentTools, TurnContext } from "../agent/index.ts";
import { type Json, TurnkeepError } from "../protocol/index.ts";
import { findMisfit } from "./json-shape.ts";
import type { ToolShape } from "./model.ts";

/** What a tool may use: the session it works for, and the turn it is part of. */
export interface ToolScene<Custom> extends AgentTools<Custom> {
  readonly turn: TurnContext;
}

/** What a model gives a tool: a few words and numbers, as the tool's shape has them. */
export type ToolInput = Readonly<Record<string, string | number>>;

/** Something a model may ask for. */
export interface DemoTool<Custom> extends ToolShape {
  readonly run: (input: ToolInput, scene: ToolScene<Custom>) => Promise<Json> | Json;
  /** A question for a person, who must agree before the tool runs; none when it may run at once. */
  readonly asks?: (input: ToolInput) => string | undefined;
}

/** Checks what the model wants of it, and runs it. What goes wrong is told to the model, which may try again. */
export async function runTool<Custom>(
  tool: DemoTool<Custom>,
  input: Json,
  scene: ToolScene<Custom>,
): Promise<Json> {
  const path = findMisfit(tool.input, input);
  if (path) return { error: `The input does not fit at "${path.join("/")}".` };
  try {
    return await tool.run(input as ToolInput, scene);
  } catch (error) {
    // Nobody may find out by trying again what became of a step.
    if (scene.turn.signal.aborted || !TurnkeepError.is(error) || error.status === "ABORTED")
      throw error;
    return { error: error.message };
  }
}
