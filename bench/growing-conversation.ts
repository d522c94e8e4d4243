import type { Json, Message } from "turnkeep/protocol";
import {
  type Claim,
  createScope,
  createSessionKey,
  EMPTY_CONTENT,
  type Ledger,
  type RunEvent,
  type SessionContent,
  type SessionKey,
} from "../src/ledger/index.ts";

/** CPU time of this process, in microseconds. */
export interface TurnCost {
  /** Of `finish` alone. */
  readonly save: number;
  /** From the input to the snapshot. */
  readonly turn: number;
}

export interface Said {
  readonly user: Message;
  readonly model: Message;
  /** The custom state after the turn, when it has one. */
  readonly custom?: Json;
}

const CHUNKS = 4;

/** A conversation in one session, which says what each of its turns cost. */
export class GrowingConversation {
  readonly key: SessionKey = createSessionKey(createScope("bench"), "talker", "conversation");
  readonly #ledger: Ledger;

  constructor(ledger: Ledger) {
    this.#ledger = ledger;
  }

  async take({ user, model, custom }: Said): Promise<TurnCost> {
    const begin = process.cpuUsage();
    const claim = await this.#begin(user);
    const work = await this.#ledger.work(this.key, claim, { input: user });
    const events = chunksOf(model);
    await this.#ledger.appendEvents(this.key, claim, { seq: claim.nextSeq, events });
    const start: SessionContent = work.start?.content ?? EMPTY_CONTENT;
    const content: SessionContent = {
      ...start,
      messages: start.messages.grow([user, model]),
      ...(custom !== undefined && { custom }),
    };
    const save = process.cpuUsage();
    const finished = await this.#ledger.finish(this.key, work, {
      status: "completed",
      finishReason: "stop",
      content,
      nextSeq: claim.nextSeq + events.length,
    });
    const cost = { save: since(save), turn: since(begin) };
    if (finished.kind !== "committed") throw new Error(`A turn was not saved: ${finished.kind}`);
    return cost;
  }

  async #begin(input: Message): Promise<Claim> {
    const answer = await this.#ledger.accept(this.key, { input, begin: true });
    if (answer.kind === "accepted" && answer.claim) return answer.claim;
    throw new Error(`A turn was not begun: ${answer.kind}`);
  }
}

function since(start: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(start);
  return user + system;
}

function chunksOf({ content }: Message): readonly RunEvent[] {
  const text = content.map((part) => part.text ?? "").join("");
  const length = Math.ceil(text.length / CHUNKS);
  return Array.from({ length: CHUNKS }, (_, index) => ({
    type: "chunk",
    text: text.slice(index * length, (index + 1) * length),
  }));
}
