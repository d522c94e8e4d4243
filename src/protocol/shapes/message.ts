import type { JsonObject } from "../json.ts";
import { freeObject } from "../schema/free-json.ts";
import { partListOf } from "../schema/list-of.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Reader } from "../schema/reader.ts";
import { nameFrom } from "../schema/scalars.ts";
import { type Part, readPart } from "./part.ts";

const ROLES = ["system", "user", "model", "tool"] as const;

/** Who speaks in a message. */
export type Role = (typeof ROLES)[number];

/** One message of a conversation. */
export type Message = {
  readonly role: Role;
  readonly content: readonly Part[];
  readonly metadata?: JsonObject;
};

export const readRole: Reader<Role> = nameFrom(ROLES);

export const readMessage: Reader<Message> = objectOf<Message>({
  role: required(readRole),
  content: required(partListOf(readPart)),
  metadata: optional(freeObject),
});

/** Parses a message. */
export const parseMessage: Parser<Message> = parserOf("message", readMessage);
