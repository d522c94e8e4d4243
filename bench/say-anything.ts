import type { Message } from "turnkeep/protocol";
import type { SeededRandom } from "../test/chaos/seeded-random.ts";
import type { Said } from "./growing-conversation.ts";
import { randomText } from "./random-text.ts";

const USER_CHARACTERS = 500;
const MODEL_CHARACTERS = 1440;

/** A turn of 2 KB. */
export function sayAnything(random: SeededRandom): Said {
  return {
    user: { role: "user", content: [{ text: randomText(random, USER_CHARACTERS) }] },
    model: { role: "model", content: [{ text: randomText(random, MODEL_CHARACTERS) }] },
  };
}

export function bytesOf(message: Message): number {
  return Buffer.byteLength(JSON.stringify(message));
}
