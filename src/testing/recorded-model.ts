import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { type Json, jsonEqual, TurnkeepError } from "../protocol/index.ts";
import type {
  ModelChunk,
  ModelFunction,
  ModelListener,
  ModelReply,
  ModelRequest,
} from "./model-function.ts";

/** One request of a recording and what came of it. */
interface RecordedReply {
  readonly messages: readonly Json[];
  readonly chunks: readonly ModelChunk[];
  readonly reply: ModelReply;
}

const FORMAT = "turnkeep-replies-1";

/**
 * A model that is asked once and remembered: without a file at `path` it asks the real one and writes down what that said; with one, it says the same
 * again, and fails where the conversation leaves the recording. To record anew, remove the file.
 */
export class RecordedModel {
  readonly #path: string;
  readonly #ask: ModelFunction | undefined;
  readonly #replies: RecordedReply[];
  readonly isReplaying: boolean;
  #next = 0;

  /** @throws TurnkeepError FAILED_PRECONDITION when there is neither a recording nor a model to make one with, or the file is no recording. */
  constructor(path: string, ask?: ModelFunction) {
    this.#path = path;
    this.#ask = ask;
    this.isReplaying = existsSync(path);
    this.#replies = this.isReplaying ? readReplies(path) : [];
    if (this.isReplaying || ask !== undefined) return;
    throw refusal(`There is no recording at ${path}. Name the model to record it with.`);
  }

  /** @throws TurnkeepError FAILED_PRECONDITION where the conversation leaves the recording. */
  readonly answer: ModelFunction = async (request, listener = {}) =>
    this.isReplaying ? this.#replay(request, listener) : await this.#record(request, listener);

  #replay({ messages }: ModelRequest, { sendChunk }: ModelListener): ModelReply {
    const number = this.#next + 1;
    const recorded = this.#replies[this.#next];
    if (recorded === undefined) {
      throw this.#left(
        `it holds ${this.#replies.length} replies, and reply ${number} is asked for`,
      );
    }
    const asked = plain(messages);
    const at = asked.findIndex((message, index) => !jsonEqual(message, recorded.messages[index]));
    if (at !== -1 || asked.length !== recorded.messages.length) {
      const which = at === -1 ? asked.length + 1 : at + 1;
      throw this.#left(`message ${which} of request ${number} is not the one that was recorded`);
    }
    this.#next += 1;
    for (const chunk of recorded.chunks) sendChunk?.(structuredClone(chunk));
    return structuredClone(recorded.reply);
  }

  async #record(request: ModelRequest, { sendChunk }: ModelListener): Promise<ModelReply> {
    const messages = plain(request.messages);
    const chunks: ModelChunk[] = [];
    const reply = await this.#ask!(request, {
      sendChunk: (chunk) => {
        chunks.push(structuredClone(chunk));
        sendChunk?.(chunk);
      },
    });
    this.#replies.push({ messages, chunks, reply: structuredClone(reply) });
    const text = JSON.stringify({ format: FORMAT, replies: this.#replies }, null, 1);
    writeFileSync(this.#path, `${text}\n`);
    return reply;
  }

  #left(why: string): TurnkeepError {
    return refusal(
      `The conversation left the recording at ${this.#path}: ${why}. If it is meant to, remove the file and record it again.`,
    );
  }
}

function readReplies(path: string): RecordedReply[] {
  try {
    const { format, replies } = JSON.parse(readFileSync(path, "utf8")) as {
      readonly format: unknown;
      readonly replies: RecordedReply[];
    };
    if (format === FORMAT && Array.isArray(replies)) return replies;
  } catch {
    // Whatever it is, it is no recording.
  }
  throw refusal(`${path} is no recording. Remove it, and record it again.`);
}

// As JSON, since that is what is compared with.
function plain(messages: readonly unknown[]): readonly Json[] {
  return JSON.parse(JSON.stringify(messages)) as readonly Json[];
}

function refusal(message: string): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", message);
}
