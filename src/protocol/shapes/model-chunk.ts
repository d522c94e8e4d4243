import type { Json } from "../json.ts";
import { freeJson } from "../schema/free-json.ts";
import { partListOf } from "../schema/list-of.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import type { Reader } from "../schema/reader.ts";
import { count, flag } from "../schema/scalars.ts";
import { readRole, type Role } from "./message.ts";
import { type Part, readPart } from "./part.ts";

/** A piece of a model's answer while it is being made. */
export type ModelChunk = {
  readonly role?: Role;
  /** Which message of the turn it belongs to. */
  readonly index?: number;
  readonly content: readonly Part[];
  readonly custom?: Json;
  /** The content repeats all earlier chunks of the message. */
  readonly aggregated?: boolean;
};

export const readModelChunk: Reader<ModelChunk> = objectOf<ModelChunk>({
  role: optional(readRole),
  index: optional(count),
  content: required(partListOf(readPart)),
  custom: optional(freeJson),
  aggregated: optional(flag),
});
