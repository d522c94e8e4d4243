import type { GenerateOptions, GenerateResponseChunk, Genkit, MessageData } from "genkit";
import {
  type AgentOptions,
  defineGeneratorAgent as defineOwnGeneratorAgent,
  type GeneratorAgentFunction,
  type GeneratorContext,
  type GeneratorInput,
  type Json,
  type NeedsInitialState,
  type Responder,
} from "../agent/index.ts";
import type { ModelChunk } from "../protocol/index.ts";
import { type CurrentTurn, turnScope, type TurnScope } from "./current-tool-call.ts";
import type { GenkitAgent } from "./genkit-agent.ts";
import { GenkitSession } from "./genkit-session.ts";
import { changeable } from "./genkit-types.ts";
import { addAgent, checkDefinition, type RegisterOptions } from "./register-agent.ts";

/** The types that a loop with `ai.generate` inside works with: Genkit's messages, chunks and answers to interrupts. */
export interface GenkitLoopTypes {
  readonly messages: MessageData[];
  readonly chunk: GenerateResponseChunk | ModelChunk;
  readonly resume: NonNullable<GenerateOptions["resume"]>;
}

/** Like `defineGeneratorAgent` of the package itself, with Genkit's types, the agent known to Genkit and its session to Genkit's tools. */
export function defineGeneratorAgent<Custom = Json, StateInput = unknown>(
  ai: Genkit,
  options: AgentOptions<Custom, StateInput> &
    NeedsInitialState<Custom, StateInput> &
    RegisterOptions,
  work: GeneratorAgentFunction<Custom, GenkitLoopTypes>,
): GenkitAgent<Custom> {
  checkDefinition(ai, options);
  const { replace: _, ...own } = options as AgentOptions<Custom> & RegisterOptions;
  const agent = defineOwnGeneratorAgent<Custom>(own, (context) => {
    const session = new GenkitSession(context.session);
    const inScope = turnScope(currentTurnOf(context as unknown as GeneratorContext<never>));
    return runLoop(
      (step) => inScope(() => session.run(step)),
      () => work(genkitContext(context)),
    );
  });
  return addAgent(ai, agent);
}

type OwnLoop<Custom> = ReturnType<GeneratorAgentFunction<Custom>>;
type GenkitLoop<Custom> = ReturnType<GeneratorAgentFunction<Custom, GenkitLoopTypes>>;

// Each step of the loop runs in the turn, with its session as the current one: a generator takes that over from its caller, step by step.
async function* runLoop<Custom>(
  inTurn: TurnScope,
  start: () => GenkitLoop<Custom>,
): OwnLoop<Custom> {
  const loop = inTurn(start) as OwnLoop<Custom>;
  try {
    for (;;) {
      const { done, value } = await inTurn(() => loop.next());
      if (done) return value;
      yield value;
    }
  } finally {
    await inTurn(() => loop.return());
  }
}

// So that `toolCall` finds the turn in the tools that the loop's `ai.generate` runs.
function currentTurnOf(context: GeneratorContext<never>): CurrentTurn {
  const { session, turn, tenant, sendChunk } = context;
  const respond: Responder<never> = {
    modelChunk: (chunk) => sendChunk({ chunk }),
    text: (text) => sendChunk({ chunk: { content: [{ text }] } }),
    artifact: (artifact) => session.addArtifacts(artifact),
    status: (status) => sendChunk({ status }),
    chunk: ({ modelChunk, artifact, status }) =>
      sendChunk({
        ...(modelChunk && { chunk: modelChunk }),
        ...(artifact && { artifact }),
        ...(status !== undefined && { status }),
      }),
  };
  return { session, turn, respond, context: context.context, tenant };
}

// The shapes are the same JSON, and chunks become it when they are streamed. Messages are copied, since Genkit and its plugins may change them.
function genkitContext<Custom>(
  context: GeneratorContext<Custom>,
): GeneratorContext<Custom, GenkitLoopTypes> {
  const { inputStream, init } = context;
  return {
    ...(context as unknown as GeneratorContext<Custom, GenkitLoopTypes>),
    inputStream: genkitInputs(inputStream),
    init: { ...init, messages: init.messages.map(changeable) },
  };
}

async function* genkitInputs(
  inputs: AsyncIterable<GeneratorInput>,
): AsyncGenerator<GeneratorInput<GenkitLoopTypes>> {
  for await (const input of inputs) {
    yield Object.defineProperty(changeable(input), "resume", { value: input.resume });
  }
}
