import type { Part } from "../protocol/index.ts";
import { TurnkeepError } from "../protocol/index.ts";
import { bytesResponse } from "./bytes-response.ts";
import { indexOf } from "./messages.ts";
import type { StudioExchange } from "./studio-exchange.ts";

/** The bytes of one part of an artifact. */
export async function readArtifactPart(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, request } = exchange;
  const { state } = await agent.getSnapshot(exchange.named("snapshot"), reader);
  const artifact = state?.artifacts?.[indexOf(exchange.named("artifact"))];
  const index = indexOf(exchange.named("part"));
  const part = artifact?.parts[index];
  if (part === undefined) {
    throw new TurnkeepError("NOT_FOUND", "The snapshot has no such artifact, or it no such part.");
  }
  const content = contentOf(part);
  const name = artifact?.name ?? `artifact-${exchange.named("artifact")}`;
  return bytesResponse(request, { ...content, name });
}

interface Content {
  readonly bytes: Uint8Array;
  readonly type: string;
}

function contentOf(part: Part): Content {
  const { text, media, reasoning } = part;
  const said = text ?? reasoning;
  if (said !== undefined) return { bytes: utf8(said), type: "text/plain; charset=utf-8" };
  if (media) return mediaOf(media.url, media.contentType);
  const { metadata: _, ...rest } = part;
  const json = "data" in rest ? rest.data : rest;
  return { bytes: utf8(JSON.stringify(json, null, 2)), type: "application/json; charset=utf-8" };
}

function mediaOf(url: string, contentType: string | undefined): Content {
  const [, type, isBase64, data] = /^data:([^,]*?)(;base64)?,(.*)$/s.exec(url) ?? [];
  if (data === undefined) {
    throw new TurnkeepError(
      "FAILED_PRECONDITION",
      "This part lies elsewhere; nothing is fetched from there. Its address is in the artifact.",
    );
  }
  const said = contentType ?? type;
  return {
    bytes: isBase64 === undefined ? percentDecoded(data) : base64Decoded(data),
    type: said && isMediaType(said) ? said : "application/octet-stream",
  };
}

function isMediaType(text: string): boolean {
  return /^[\w.+-]+\/[\w.+-]+(?:\s*;\s*[\w.+-]+=(?:[\w.+-]+|"[\w .+-]*"))*$/.test(text);
}

function base64Decoded(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw damaged();
  }
}

function percentDecoded(text: string): Uint8Array {
  try {
    return utf8(decodeURIComponent(text));
  } catch {
    throw damaged();
  }
}

function damaged(): TurnkeepError {
  return new TurnkeepError("FAILED_PRECONDITION", "The part's data: address cannot be decoded.");
}

function utf8(text: string): Uint8Array {
  return new TextEncoder().encode(text);
}
