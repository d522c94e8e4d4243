import type { JsonObject } from "../json.ts";
import { freeObject } from "../schema/free-json.ts";
import { partListOf } from "../schema/list-of.ts";
import { objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Reader } from "../schema/reader.ts";
import { optionalName } from "../schema/scalars.ts";
import { type Part, readPart } from "./part.ts";

/** Something an agent made, kept beside the conversation. A later one of the same name replaces it. */
export type Artifact = {
  readonly name?: string;
  readonly parts: readonly Part[];
  readonly metadata?: JsonObject;
};

export const readArtifact: Reader<Artifact> = objectOf<Artifact>({
  name: optional(optionalName),
  parts: required(partListOf(readPart)),
  metadata: optional(freeObject),
});

/** Parses an artifact. */
export const parseArtifact: Parser<Artifact> = parserOf("artifact", readArtifact);
