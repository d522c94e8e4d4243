import type { GenerateRequest, Genkit } from "genkit";

/** What a model is asked, and with. */
export interface Thought {
  readonly request: GenerateRequest;
  readonly signal: AbortSignal;
  /** Streams a piece of the answer. */
  readonly say: (text: string) => void;
  /** The last words of the user or, behind a round of tools, what those answered. */
  readonly heard: string;
  /** Whether tools have just answered. */
  readonly isAnswered: boolean;
}

export interface ToolWanted {
  readonly tool: string;
  readonly input: object;
  readonly ref?: string;
}

/** What a model says: words, or which tools it wants. */
export type Answer = string | readonly ToolWanted[];

/** A model of the test's own. */
export function defineThinker(
  ai: Genkit,
  name: string,
  think: (thought: Thought) => Answer | Promise<Answer>,
): string {
  ai.defineModel(
    { apiVersion: "v2", name, supports: { tools: true, multiturn: true, systemRole: true } },
    async (request, { sendChunk, abortSignal }) => {
      const say = (text: string): void => sendChunk({ content: [{ text }] });
      const last = request.messages.at(-1);
      const answer = await think({
        request,
        signal: abortSignal,
        say,
        heard: heardIn(last?.content ?? []),
        isAnswered: last?.role === "tool",
      });
      return {
        message: { role: "model", content: contentOf(answer) },
        finishReason: "stop",
        usage: { inputTokens: 1, outputTokens: 1 },
      };
    },
  );
  return name;
}

type Content = GenerateRequest["messages"][number]["content"];

function contentOf(answer: Answer): Content {
  if (typeof answer === "string") return [{ text: answer }];
  return answer.map(({ tool, input, ref }) => ({
    toolRequest: { name: tool, input, ...(ref !== undefined && { ref }) },
  }));
}

function heardIn(content: Content): string {
  return content
    .map(({ text, toolResponse }) => text ?? JSON.stringify(toolResponse?.output ?? ""))
    .join(" ");
}
