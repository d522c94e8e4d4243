import { type Json, jsonEqual, type JsonObject } from "../protocol/index.ts";
import { freezeJson } from "./freeze-json.ts";
import type { SessionAbout } from "./head-record.ts";

/** How long metadata may be, as JSON: it lives in the head record, which every step reads and writes. */
export const MAX_METADATA_CHARACTERS = 2048;

/** What is left out stays; `null` removes the title, one entry of the metadata, or all of it. */
export interface SessionAboutChange {
  readonly title?: string | null | undefined;
  readonly tags?: readonly string[] | undefined;
  readonly metadata?: JsonObject | null | undefined;
}

export function changedAbout(
  about: SessionAbout | undefined,
  change: SessionAboutChange,
): SessionAbout | undefined {
  const { title = about?.title, tags = about?.tags ?? [] } = change;
  const metadata = changedMetadata(about?.metadata, change.metadata);
  const isNamed = title !== undefined && title !== null;
  const changed = {
    ...(isNamed && { title }),
    ...(tags.length > 0 && { tags }),
    ...(metadata && { metadata }),
  };
  return Object.keys(changed).length === 0 ? undefined : changed;
}

function changedMetadata(
  before: JsonObject | undefined,
  change: JsonObject | null | undefined,
): JsonObject | undefined {
  if (change === undefined) return before;
  const entries = Object.entries({ ...before, ...change }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return change === null || entries.length === 0
    ? undefined
    : freezeJson(Object.fromEntries(entries));
}

export function isMetadataTooLong(about: SessionAbout | undefined): boolean {
  return JSON.stringify(about?.metadata ?? {}).length > MAX_METADATA_CHARACTERS;
}

/** Whether the session's metadata has all of these entries, with equal values. */
export function hasMetadata(about: SessionAbout | undefined, wanted: JsonObject): boolean {
  const metadata = new Map<string, Json | undefined>(Object.entries(about?.metadata ?? {}));
  return Object.entries(wanted).every(([name, value]) => {
    const own = metadata.get(name);
    return own !== undefined && value !== undefined && jsonEqual(own, value);
  });
}
