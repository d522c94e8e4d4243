import type { GenerateRequest, Genkit, ModelArgument, Part } from "genkit";

/** What a model is told in one request, as far as the examples need it. */
export interface Heard {
  readonly system: string;
  /** What the user said last. */
  readonly text: string;
  /** What the tools gave back that it asked for just now. */
  readonly results: readonly unknown[];
}

/** What a model answers: words, or that it wants a tool to be run. */
export type Answer = string | { readonly tool: string; readonly input: unknown };

/**
 * Stands in for a real model, so that the examples run without a key: it understands nothing, a function answers in its place. To swap in a real
 * one, write `const ai = genkit({ plugins: [googleAI()] })` and `model: googleAI.model("gemini-flash-latest")`, or whatever plugin you use.
 */
export function scriptedModel(
  ai: Genkit,
  answer: (heard: Heard) => Answer,
  name = "scripted",
): ModelArgument {
  const supports = { multiturn: true, tools: true, systemRole: true };
  return ai.defineModel({ apiVersion: "v2", name, supports }, async (request, { sendChunk }) => {
    const part = partOf(answer(heardIn(request)));
    // As real ones do, it says its words one by one.
    for (const word of part.text?.match(/\S+\s*/g) ?? []) sendChunk({ content: [{ text: word }] });
    return { message: { role: "model", content: [part] }, finishReason: "stop" };
  });
}

function heardIn({ messages }: GenerateRequest): Heard {
  const last = messages.at(-1);
  return {
    system: textOf(messages.find(({ role }) => role === "system")?.content),
    text: textOf(messages.findLast(({ role }) => role === "user")?.content),
    results: last?.role === "tool" ? last.content.map((part) => part.toolResponse?.output) : [],
  };
}

function partOf(answer: Answer): Part {
  if (typeof answer === "string") return { text: answer };
  return { toolRequest: { name: answer.tool, input: answer.input } };
}

function textOf(content: readonly Part[] = []): string {
  return content.map(({ text = "" }) => text).join("");
}
