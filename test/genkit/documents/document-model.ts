import type { GenerateRequest, GenerateResponseData, Part } from "genkit";
import { genkit, type GenkitBeta } from "genkit/beta";

/** What the model does when it is asked: it says something, asks for tools, fails, or does what a function says. */
export type Reply = string | Part[] | Error | ((request: GenerateRequest) => Promise<string>);

/** Stands in for the models of the documents. It answers as it is told, word by word, and remembers what it was asked. */
export class DocumentModel {
  readonly name: string;
  readonly requests: GenerateRequest[] = [];
  readonly #replies: Reply[] = [];

  constructor(ai: GenkitBeta, name: string) {
    this.name = name;
    const supports = { multiturn: true, tools: true, systemRole: true };
    ai.defineModel({ apiVersion: "v2", name, supports }, async (request, { sendChunk }) => {
      this.requests.push(structuredClone(request));
      const content = await this.#answer(request);
      for (const word of wordsOf(content)) sendChunk({ content: [{ text: word }] });
      return responseOf(content);
    });
  }

  /** What it does in its next calls. After that, it counts the messages it is shown. */
  will(...replies: Reply[]): void {
    this.#replies.push(...replies);
  }

  /** What the last call was shown: each message as `role: text`. */
  get shown(): readonly string[] {
    const { messages = [] } = this.requests.at(-1) ?? {};
    return messages.map((message) => `${message.role}: ${textIn(message.content)}`);
  }

  async #answer(request: GenerateRequest): Promise<Part[]> {
    const talk = request.messages.filter(({ role }) => role !== "system");
    const reply = this.#replies.shift() ?? `answer ${talk.length}`;
    if (reply instanceof Error) throw reply;
    if (Array.isArray(reply)) return reply;
    return [{ text: typeof reply === "string" ? reply : await reply(request) }];
  }
}

/** An empty Genkit with such a model, under the name that the document gives its own. */
export function openStage({
  model = "googleai/gemini-flash-latest",
  promptDir,
}: {
  readonly model?: string;
  readonly promptDir?: string;
} = {}): { readonly ai: GenkitBeta; readonly model: DocumentModel } {
  const ai = genkit({ promptDir: promptDir ?? null });
  return { ai, model: new DocumentModel(ai, model) };
}

/** A model's wish to have a tool run. */
export function toolRequest(name: string, input: unknown, ref?: string): Part {
  return { toolRequest: { name, input, ...(ref !== undefined && { ref }) } };
}

function responseOf(content: Part[]): GenerateResponseData {
  return {
    message: { role: "model", content },
    finishReason: "stop",
    usage: { inputTokens: 3, outputTokens: 2 },
  };
}

function wordsOf(content: readonly Part[]): readonly string[] {
  return textIn(content).match(/\S+\s*/g) ?? [];
}

function textIn(content: readonly Part[]): string {
  return content.map(({ text = "" }) => text).join("");
}
