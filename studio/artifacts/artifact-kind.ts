import type { Artifact } from "turnkeep/protocol";
import type { Language } from "../code/editor-extensions.ts";

export type ArtifactKind =
  | "text"
  | "markdown"
  | "code"
  | "json"
  | "image"
  | "html"
  | "audio"
  | "video"
  | "other";

const BY_NAME: readonly (readonly [RegExp, ArtifactKind])[] = [
  [/\.(?:md|markdown)$/i, "markdown"],
  [/\.(?:[cm]?[jt]sx?|py|go|rs|java|rb|sh|sql|css|ya?ml|toml)$/i, "code"],
  [/\.json$/i, "json"],
  [/\.html?$/i, "html"],
];

/** How an artifact is best looked at, by what is in it and what it is called. */
export function kindOf({ name = "", parts }: Artifact): ArtifactKind {
  const [part] = parts;
  const named = BY_NAME.find(([pattern]) => pattern.test(name))?.[1];
  if (part?.media) return mediaKind(part.media.contentType ?? "");
  if (part?.text !== undefined) return named ?? "text";
  return "json";
}

function mediaKind(type: string): ArtifactKind {
  if (type.startsWith("text/html")) return "html";
  if (type.startsWith("text/markdown")) return "markdown";
  if (type.startsWith("application/json")) return "json";
  const [kind] = type.split("/");
  return kind === "image" || kind === "audio" || kind === "video" || kind === "text"
    ? kind
    : "other";
}

/** About how long it is. */
export function sizeOf({ parts }: Artifact): number {
  return parts.reduce((sum, { text, media, data }) => {
    if (text !== undefined) return sum + text.length;
    if (media) return sum + Math.round((media.url.length * 3) / 4);
    return sum + JSON.stringify(data ?? null).length;
  }, 0);
}

/** What is written in it; `undefined` when some of it is no text. */
export function textOf({ parts }: Artifact): string | undefined {
  if (parts.some(({ media }) => media !== undefined)) return undefined;
  return parts.map(({ text, data }) => text ?? JSON.stringify(data ?? null, null, 2)).join("\n");
}

/** In which colours it is read. */
export function languageOf(name: string): Language {
  if (/\.[cm]?[jt]sx?$/i.test(name)) return "javascript";
  if (/\.json$/i.test(name)) return "json";
  return /\.md$/i.test(name) ? "markdown" : "text";
}
