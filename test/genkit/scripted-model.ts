import {
  type GenerateRequest,
  type GenerateResponseChunkData,
  type GenerateResponseData,
  genkit,
  type Genkit,
  type MessageData,
  type Part,
} from "genkit";
import { untilAborted } from "../agent/life/waiting.ts";

/** What a model is given to answer one request. */
export interface Asked {
  readonly request: GenerateRequest;
  readonly signal: AbortSignal | undefined;
  readonly sendChunk: (chunk: GenerateResponseChunkData) => void;
}

export type Reply = (asked: Asked) => Promise<GenerateResponseData> | GenerateResponseData;

/** A tool request as tests write it. */
export interface Request {
  readonly name: string;
  readonly ref?: string;
  readonly input?: unknown;
}

/** A model that says what it was told to, request by request, and remembers what it was asked. */
export class ScriptedModel {
  readonly name: string;
  readonly requests: GenerateRequest[] = [];
  readonly #replies: Reply[] = [];

  constructor(ai: Genkit, name = "scripted") {
    this.name = name;
    ai.defineModel(
      {
        apiVersion: "v2",
        name,
        supports: {
          multiturn: true,
          tools: true,
          toolChoice: true,
          media: true,
          systemRole: true,
          context: true,
          constrained: "all",
          output: ["text", "json"],
        },
      },
      async (request, { abortSignal, sendChunk }) => {
        this.requests.push(structuredClone(request));
        const reply = this.#replies.shift();
        if (reply === undefined) throw new Error(`The model '${name}' has nothing left to say.`);
        return await reply({ request, signal: abortSignal, sendChunk });
      },
    );
  }

  /** Does this with the next request. */
  replies(...replies: readonly Reply[]): this {
    this.#replies.push(...replies);
    return this;
  }

  /** Answers the next requests with these texts. */
  says(...texts: readonly string[]): this {
    return this.replies(...texts.map((text) => () => answer([{ text }])));
  }

  /** Answers the next request with these parts. */
  saysParts(...parts: readonly Part[]): this {
    return this.replies(() => answer(parts));
  }

  /** Streams the texts, then says all of them at once. */
  streams(...texts: readonly string[]): this {
    return this.replies(({ sendChunk }) => {
      for (const text of texts) sendChunk({ content: [{ text }] });
      return answer([{ text: texts.join("") }]);
    });
  }

  /** Asks for tools, all in one message. */
  asksFor(...requests: readonly Request[]): this {
    return this.saysParts(...requests.map((toolRequest) => ({ toolRequest })));
  }

  fails(error: Error = new Error("The model is down.")): this {
    return this.replies(() => {
      throw error;
    });
  }

  /** Calls this with the next request and never answers it; fails as its signal says when that aborts. */
  hangs(asked: (asked: Asked) => void = () => {}): this {
    return this.replies(async (request) => {
      asked(request);
      return await untilAborted(request.signal!);
    });
  }

  /** What it was asked last. */
  get lastRequest(): GenerateRequest {
    const request = this.requests.at(-1);
    if (request === undefined) throw new Error("The model was never asked.");
    return request;
  }
}

/** A Genkit of its own with a scripted model, which is its default. */
export function scriptedGenkit(options: { readonly promptDir?: string } = {}): {
  readonly ai: Genkit;
  readonly model: ScriptedModel;
} {
  const ai = genkit({ model: "scripted", ...options });
  return { ai, model: new ScriptedModel(ai) };
}

export function answer(
  content: readonly Part[],
  more: Partial<GenerateResponseData> = {},
): GenerateResponseData {
  return { message: { role: "model", content: [...content] }, finishReason: "stop", ...more };
}

/** The messages of a request as "role: text". */
export function linesOf({ messages }: { readonly messages: readonly MessageData[] }): string[] {
  return messages.map(({ role, content }) => `${role}: ${textOf(content)}`);
}

/** What the model was told as the system. */
export function systemOf({ messages }: GenerateRequest): string {
  return messages
    .filter(({ role }) => role === "system")
    .map(({ content }) => textOf(content))
    .join("\n");
}

function textOf(content: readonly Part[]): string {
  return content.map(({ text }) => text ?? "").join("");
}
