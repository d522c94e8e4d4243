import { setTimeout as sleep } from "node:timers/promises";
import { trace } from "@opentelemetry/api";
import {
  type AgentInput,
  type AgentOptions,
  type AgentTools,
  defineCustomAgent,
  type Json,
  type LocalAgent,
  type Message,
  type SessionStore,
  type TurnContext,
  type TurnResult,
} from "turnkeep";
import { z } from "zod";
import { ARTIFACTS, LARGE_ARTIFACTS } from "./sample-artifacts.ts";
import { essayOf } from "./sample-essay.ts";
import { pass } from "./turnstile.ts";

export type Plan = { step: string; visits?: number | undefined; [name: string]: unknown };
const state = z.object({ step: z.string(), visits: z.number().optional() }).loose();

// As long as a token is.
const PIECE = 5;

/** For workers that are missed soon. */
export const HASTY: { readonly limits: { readonly leaseMs: number } } = {
  limits: { leaseMs: 2000 },
};

type Scene = {
  readonly tools: AgentTools<Plan>;
  readonly turn: TurnContext;
  readonly words: readonly string[];
};

/** A travel agent that does what the first word of a message says, as if a model had thought of it. */
export function definePlanner(
  store: SessionStore,
  name = "planner",
  more: Pick<AgentOptions<Plan>, "dispatcher" | "limits"> = {},
): LocalAgent<Plan> {
  return defineCustomAgent<Plan>(
    {
      name,
      description: "Plans trips and books hotels, once somebody has said yes.",
      about: { version: "2.1.0", tags: ["travel", "demo"] },
      state,
      initialState: { step: "idle" },
      store,
      recordState: true,
      // Large artifacts are made, to see how they are shown.
      limits: { stateCharacters: 32 * 1024 * 1024 },
      ...more,
      describeTools: () => TOOLS,
    },
    async (tools) => {
      await tools.session.run((input, turn) => act(input, { tools, turn }));
      return tools.session.result();
    },
  );
}

async function act(
  { message, resume }: AgentInput,
  { tools, turn }: Omit<Scene, "words">,
): Promise<TurnResult> {
  if (resume) return answerResume(resume, tools);
  const text = (message?.content ?? []).map((part) => part.text ?? "").join("");
  const words = text.split(/\s+/);
  const scene = SCENES[words[0] ?? ""] ?? plan;
  return await scene({ tools, turn, words });
}

const SCENES: Readonly<Record<string, (scene: Scene) => Promise<TurnResult> | TurnResult>> = {
  lines,
  slow,
  state: changeState,
  book,
  fail: () => {
    throw new Error("The model is not there today.");
  },
  artifacts: makeArtifacts,
  write,
  large: makeArtifacts,
  spans: makeSpans,
  history: makeHistory,
  essay: writeEssay,
  dice: throwDice,
};

async function plan({ tools: { session, respond }, turn, words }: Scene): Promise<TurnResult> {
  const input = { city: words.at(-1) ?? "Lisbon" };
  const thought = "They want somewhere quiet. I look for hotels first, then at the river.";
  respond.modelChunk({ role: "model", content: [{ reasoning: thought }] });
  const request = { toolRequest: { name: "searchHotels", ref: "h1", input } };
  respond.modelChunk({ role: "model", content: [request] });
  session.addMessages({ role: "model", content: [{ reasoning: thought }, request] });
  const output = await turn.step({ name: "searchHotels", input }, () => ({
    hotels: ["Casa do Rio", "Pensão Central", "Hotel Atlas"],
  }));
  session.addMessages({
    role: "tool",
    content: [{ toolResponse: { name: "searchHotels", ref: "h1", output } }],
  });
  session.updateCustom((custom) => ({
    step: "search",
    visits: (custom?.visits ?? 0) + 1,
    trip: { ...input, nights: 4 },
    options: output.hotels,
  }));
  const answer = `I found **three** hotels in ${input.city}:\n\n| hotel | river | price |\n| --- | --- | --- |\n| Casa do Rio | yes | €128 |\n| Pensão Central | no | €74 |\n| Hotel Atlas | yes | €210 |\n\nShall I book *Casa do Rio*? Say \`book\`.`;
  for (const piece of answer.match(/.{1,24}/gs) ?? []) {
    respond.text(piece);
    await sleep(8, undefined, { signal: turn.signal });
  }
  session.addMessages(said(answer));
  return { finishReason: "stop", usage: { inputTokens: 412, outputTokens: 96 } };
}

// `lines 300 100 name` stops after every hundredth until it is let pass.
async function lines({ tools: { session, respond }, turn, words }: Scene): Promise<TurnResult> {
  const count = Number(words[1]);
  const [every, name] = [Number(words[2]), words[3] ?? ""];
  const all = Array.from({ length: count }, (_, index) => `Line ${index + 1} of ${count}.\n\n`);
  for (const [index, line] of all.entries()) {
    respond.text(line);
    if ((index + 1) % every === 0 && index + 1 < count) await pass(name, turn.signal);
  }
  session.addMessages(said(all.join("")));
  return { finishReason: "stop", usage: { inputTokens: 10, outputTokens: count * 4 } };
}

// `slow name` is at it until it is let pass.
async function slow({ tools: { session, respond }, turn, words }: Scene): Promise<TurnResult> {
  respond.text("tick 0 ");
  await pass(words[1] ?? "", turn.signal);
  session.addMessages(said("That took a while."));
  return { finishReason: "stop", usage: { inputTokens: 5, outputTokens: 60 } };
}

// `state name` stops after every change until it is let pass; `state` does not.
async function changeState({
  tools: { session, respond },
  turn,
  words,
}: Scene): Promise<TurnResult> {
  for (let count = 1; count <= 5; count += 1) {
    session.updateCustom((custom) => ({ ...custom, step: `change ${count}`, visits: count }));
    respond.text(`${count} `);
    if (words[1] !== undefined) await pass(words[1], turn.signal);
  }
  session.addMessages(said("I changed my mind five times."));
  return { finishReason: "stop" };
}

function book({ tools: { session, respond } }: Scene): TurnResult {
  const requests = [
    {
      toolRequest: { name: "bookHotel", ref: "b1", input: { hotel: "Casa do Rio", nights: 4 } },
      metadata: { interrupt: { question: "Shall I book it for €512?" } },
    },
    {
      toolRequest: { name: "askBudget", ref: "b2", input: { currency: "EUR" } },
      metadata: { interrupt: true },
    },
  ];
  respond.modelChunk({ role: "model", content: requests });
  session.addMessages({ role: "model", content: requests });
  session.updateCustom((custom) => ({ ...custom, step: "booking" }));
  return { finishReason: "interrupted", usage: { inputTokens: 120, outputTokens: 30 } };
}

function makeArtifacts({ tools: { session, respond }, words }: Scene): TurnResult {
  const [kind, wanted] = words;
  // `large` makes all of them, `large large.txt` that one.
  const large = LARGE_ARTIFACTS.filter(({ name }) => wanted === undefined || name === wanted);
  const artifacts = kind === "large" ? large : ARTIFACTS;
  for (const artifact of artifacts) respond.artifact(artifact);
  session.addMessages(said(`I made ${artifacts.length} artifacts.`));
  return { finishReason: "stop", usage: { inputTokens: 50, outputTokens: 900 } };
}

// `write plan.md one two`: an artifact of that name, a word to a line.
function write({ tools: { session, respond }, words: [, name = "", ...lines] }: Scene): TurnResult {
  respond.artifact({ name, parts: [{ text: lines.join("\n") }] });
  session.addMessages(said(`I wrote ${name}.`));
  return { finishReason: "stop", usage: { inputTokens: 20, outputTokens: lines.length } };
}

function makeSpans({ tools: { session }, words }: Scene): TurnResult {
  const tracer = trace.getTracer("planner");
  const all = Number(words[1]);
  for (let count = 1; count <= all; count += 1) {
    const span = tracer.startSpan(`search ${count}`);
    span.setAttribute("genkit:input", JSON.stringify({ query: `query ${count}` }));
    span.setAttribute("place", `query ${count}`);
    span.setAttribute("gen_ai.usage.input_tokens", 2);
    span.setAttribute("gen_ai.usage.output_tokens", 1);
    span.end();
  }
  session.addMessages(said("I looked everywhere."));
  return { finishReason: "stop", usage: { inputTokens: 2 * all, outputTokens: all } };
}

// `essay 6000`: in so many pieces, and faster than any model writes.
async function writeEssay({
  tools: { session, respond },
  turn,
  words,
}: Scene): Promise<TurnResult> {
  const count = Number(words[1]);
  const text = essayOf(count * PIECE);
  for (let piece = 0; piece < count; piece += 1) {
    respond.text(text.slice(piece * PIECE, (piece + 1) * PIECE));
    if (piece % 10 === 0) await sleep(10, undefined, { signal: turn.signal });
  }
  session.addMessages(said(text));
  return { finishReason: "stop", usage: { inputTokens: 10, outputTokens: count } };
}

let thrown = 0;

// Something else each time, as models do.
function throwDice({ tools: { session } }: Scene): TurnResult {
  thrown += 1;
  session.updateCustom((custom) => ({ ...custom, step: "thrown", dice: thrown }));
  session.addMessages(said(`I threw ${thrown}.`));
  return { finishReason: "stop", usage: { inputTokens: 10, outputTokens: thrown } };
}

// As many messages as a session of years has.
function makeHistory({ tools: { session }, words }: Scene): TurnResult {
  const count = Number(words[1]) - 1;
  const rest = words[2] === "tall" ? "\n\nmore".repeat(20) : "";
  const texts = Array.from({ length: count }, (_, index) => `Said ${index + 1}.${rest}`);
  session.addMessages(...texts.map(said));
  return { finishReason: "stop" };
}

function answerResume(
  { respond = [], restart = [] }: NonNullable<AgentInput["resume"]>,
  { session }: AgentTools<Plan>,
): TurnResult {
  const outputs = respond.map(({ toolResponse }) => toolResponse);
  const again = restart.map(({ toolRequest: { name, ref, input = null } }) => ({
    name,
    ...(ref !== undefined && { ref }),
    output: { ranAgainWith: input },
  }));
  session.addMessages({
    role: "tool",
    content: [...outputs, ...again].map((toolResponse) => ({ toolResponse })),
  });
  const heard = [...outputs, ...again].map(({ ref, output }) => `${ref}=${JSON.stringify(output)}`);
  session.addMessages(said(`I heard: ${heard.join(" and ")}`));
  session.updateCustom((custom) => ({ ...custom, step: "booked" }));
  return { finishReason: "stop", usage: { inputTokens: 80, outputTokens: 20 } };
}

function said(text: string): Message {
  return { role: "model", content: [{ text }] };
}

const TOOLS = [
  {
    name: "searchHotels",
    description: "Looks for hotels in a city.",
    inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
  },
  {
    name: "bookHotel",
    description: "Books a hotel. Asks first.",
    inputSchema: {
      type: "object",
      properties: { hotel: { type: "string" }, nights: { type: "integer", minimum: 1 } },
      required: ["hotel", "nights"],
    },
    outputSchema: {
      type: "object",
      properties: { approved: { type: "boolean" }, feedback: { type: "string" } },
      required: ["approved"],
    } as Record<string, Json>,
  },
  {
    name: "askBudget",
    description: "Asks how much the trip may cost.",
    interrupt: true,
    outputSchema: {
      type: "object",
      properties: {
        euros: { type: "integer", minimum: 1, title: "Euros" },
        season: { enum: ["summer", "winter"] },
      },
      required: ["euros"],
    } as Record<string, Json>,
  },
];
