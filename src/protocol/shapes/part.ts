import type { Json, JsonObject } from "../json.ts";
import { objectAt } from "../schema/containers.ts";
import { freeJson, freeObject } from "../schema/free-json.ts";
import { partListOf } from "../schema/list-of.ts";
import { type FieldsOf, objectOf, optional, required } from "../schema/object-of.ts";
import { type Parser, parserOf } from "../schema/parser.ts";
import type { Place } from "../schema/place.ts";
import type { Reader } from "../schema/reader.ts";
import { flag, name, optionalName, text } from "../schema/scalars.ts";

/** A picture, sound or file, by address; the address may be a `data:` URL. */
export type Media = {
  readonly url: string;
  readonly contentType?: string;
};

/** A model asks for a tool to be run. */
export type ToolRequest = {
  readonly name: string;
  readonly ref?: string;
  readonly input?: Json;
  /** The request is still being streamed; its input is not complete. */
  readonly partial?: boolean;
};

/** What a tool gave back; `ref` is that of the request it answers. */
export type ToolResponse = {
  readonly name: string;
  readonly ref?: string;
  readonly output?: Json;
  readonly content?: readonly Part[];
};

/** Something a server can look up by its address. */
export type Resource = {
  readonly uri: string;
};

/** What each kind of part holds, under the key that names the kind. */
export type PartKinds = {
  readonly text: string;
  readonly media: Media;
  readonly toolRequest: ToolRequest;
  readonly toolResponse: ToolResponse;
  readonly data: Json;
  readonly custom: JsonObject;
  readonly reasoning: string;
  readonly resource: Resource;
};

/** What models may attach to a part of any kind. */
type Attachments = Pick<PartKinds, "data" | "custom">;

/** A part of one kind. The other kinds are named as absent, so `part.text` may be asked of any part. */
export type PartOf<Kind extends keyof PartKinds> = Pick<PartKinds, Kind> & {
  readonly [Other in Exclude<keyof PartKinds, Kind | keyof Attachments>]?: never;
} & Partial<Attachments> & { readonly metadata?: JsonObject };

/** Words. */
export type TextPart = PartOf<"text">;
/** A picture, a sound or another file, by its URL; `data:` URLs hold it themselves. */
export type MediaPart = PartOf<"media">;
/** The model asks for a tool. With `metadata.interrupt`, it waits for a person. */
export type ToolRequestPart = PartOf<"toolRequest">;
/** What a tool answered. */
export type ToolResponsePart = PartOf<"toolResponse">;
/** Any JSON, such as an answer in a shape that was asked for. */
export type DataPart = PartOf<"data">;
/** Something that only its maker understands; it is kept and passed on as it is. */
export type CustomPart = PartOf<"custom">;
/** What a model thought on the way to its answer. */
export type ReasoningPart = PartOf<"reasoning">;
/** Something that is named by a URI and not held here. */
export type ResourcePart = PartOf<"resource">;

/** One piece of a message: exactly one kind; `data` and `custom` may also be attached to another. */
export type Part =
  | TextPart
  | MediaPart
  | ToolRequestPart
  | ToolResponsePart
  | DataPart
  | CustomPart
  | ReasoningPart
  | ResourcePart;

const media = objectOf<Media>({ url: required(name), contentType: optional(optionalName) });

const toolRequest = objectOf<ToolRequest>({
  name: required(name),
  ref: optional(optionalName),
  input: optional(freeJson),
  partial: optional(flag),
});

const toolResponse = objectOf<ToolResponse>({
  name: required(name),
  ref: optional(optionalName),
  output: optional(freeJson),
  content: optional(partListOf(readPart)),
});

const resource = objectOf<Resource>({ uri: required(name) });

const READERS: { readonly [Kind in keyof PartKinds]: Reader<PartOf<Kind>> } = {
  text: partOf("text", text),
  media: partOf("media", media),
  toolRequest: partOf("toolRequest", toolRequest),
  toolResponse: partOf("toolResponse", toolResponse),
  data: partOf("data", freeJson),
  custom: partOf("custom", freeObject),
  reasoning: partOf("reasoning", text),
  resource: partOf("resource", resource),
};

const KINDS = Object.keys(READERS) as readonly (keyof PartKinds)[];
const ATTACHMENTS: readonly (keyof PartKinds)[] = [
  "data",
  "custom",
] satisfies (keyof Attachments)[];
const EXPECTED = `a part with exactly one of ${KINDS.join(", ")}`;

/** Reads a part of any kind. */
export function readPart(value: unknown, place: Place): Part {
  const kind = kindAt(value, place);
  return READERS[kind](value, place);
}

/** A part of one given kind. */
export function readerOfKind<Kind extends keyof PartKinds>(kind: Kind): Reader<PartOf<Kind>> {
  return (value, place) => {
    if (kindAt(value, place) !== kind) place.refuse(`a part with ${kind}`);
    return READERS[kind](value, place);
  };
}

/** Parses one part of a message. */
export const parsePart: Parser<Part> = parserOf("part", readPart);

function kindAt(value: unknown, place: Place): keyof PartKinds {
  const object = objectAt(value, place);
  const kinds = KINDS.filter((kind) => Object.hasOwn(object, kind) && object[kind] !== undefined);
  const [kind = kinds[0], ...others] = kinds.filter((found) => !ATTACHMENTS.includes(found));
  return kind === undefined || others.length > 0 ? place.refuse(EXPECTED) : kind;
}

function partOf<Kind extends keyof PartKinds>(
  kind: Kind,
  read: Reader<PartKinds[Kind]>,
): Reader<PartOf<Kind>> {
  const fields = {
    data: optional(freeJson),
    custom: optional(freeObject),
    metadata: optional(freeObject),
    [kind]: required(read),
  };
  return objectOf(fields as unknown as FieldsOf<PartOf<Kind>>);
}
