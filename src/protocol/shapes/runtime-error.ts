import type { Json } from "../json.ts";
import { ANSWER_LIMITS } from "../limits.ts";
import { freeJson } from "../schema/free-json.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Reader } from "../schema/reader.ts";
import { nameFrom, text } from "../schema/scalars.ts";
import { STATUS, type StatusName } from "../status.ts";

/** An error that travels as data: in an output, a snapshot, or the last frame of a stream. */
export type RuntimeError = {
  readonly status?: StatusName;
  readonly message: string;
  readonly details?: Json;
};

export const readRuntimeError: Reader<RuntimeError> = objectOf<RuntimeError>({
  status: optional(nameFrom(Object.keys(STATUS) as StatusName[])),
  message: required(text),
  details: optional(freeJson),
});

/** Parses an error that came as data. */
export const parseRuntimeError: Parser<RuntimeError> = parserOf(
  "error",
  readRuntimeError,
  ANSWER_LIMITS,
);
