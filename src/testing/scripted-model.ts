import { TurnkeepError } from "../protocol/index.ts";
import {
  type ModelFunction,
  type ModelListener,
  type ModelReply,
  type ModelRequest,
  replyOf,
} from "./model-function.ts";

/** How a scripted model answers one request. */
export type ScriptedReply = (
  request: ModelRequest,
  listener: ModelListener,
) => Promise<ModelReply> | ModelReply;

/** A model that says what it was told to, request by request, and remembers what it was asked. */
export class ScriptedModel {
  /** What it was asked, as it was then. */
  readonly requests: ModelRequest[] = [];
  readonly #replies: ScriptedReply[] = [];

  /** @throws TurnkeepError FAILED_PRECONDITION when it is asked more often than it was told answers. */
  readonly answer: ModelFunction = async (request, listener = {}) => {
    this.requests.push(structuredClone({ messages: request.messages }));
    const reply = this.#replies.shift();
    if (reply !== undefined) return await reply(request, listener);
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      `The scripted model was asked for answer ${this.requests.length} and has none left. Script another.`,
    );
  };

  /** How many answers are left: 0 when the talk went as the script says. */
  get left(): number {
    return this.#replies.length;
  }

  replies(...replies: readonly ScriptedReply[]): this {
    this.#replies.push(...replies);
    return this;
  }

  /** Answers the next requests with these texts, streamed word by word. */
  says(...texts: readonly string[]): this {
    return this.replies(
      ...texts.map((text): ScriptedReply => (_, { sendChunk }) => {
        for (const word of text.match(/\s*\S+\s*/g) ?? [])
          sendChunk?.({ content: [{ text: word }] });
        return replyOf([{ text }]);
      }),
    );
  }

  /** Asks for tools, all in one message. */
  asksFor(
    ...tools: readonly { readonly name: string; readonly input?: unknown; readonly ref?: string }[]
  ): this {
    return this.replies(() => replyOf(tools.map((toolRequest) => ({ toolRequest }))));
  }

  fails(error: Error = new Error("The model is down.")): this {
    return this.replies(() => {
      throw error;
    });
  }
}
