import type { RequestHead } from "../http/index.ts";

export interface NamedBytes {
  readonly bytes: Uint8Array;
  readonly type: string;
  readonly name: string;
}

// What a browser may show by itself: it runs no script of these.
const SHOWN = /^(?:image\/(?!svg)|application\/pdf|text\/plain)/;

/** Bytes of somebody else's making: never run, never guessed at, in parts if asked for. */
export function bytesResponse(request: RequestHead, { bytes, type, name }: NamedBytes): Response {
  const disposition = SHOWN.test(type) ? "inline" : "attachment";
  const headers = {
    "content-type": type,
    "content-disposition": `${disposition}; filename*=UTF-8''${encodeName(name)}`,
    "content-security-policy": "sandbox; default-src 'none'",
    "x-content-type-options": "nosniff",
    "accept-ranges": "bytes",
    "cache-control": "private, no-cache",
  };
  const range = request.headers.get("range");
  const wanted = range === null ? undefined : findRange(range, bytes.length);
  if (wanted === undefined) return new Response(bytes as BodyInit, { headers });
  if (wanted === "nothing") {
    return new Response(null, {
      status: 416,
      headers: { ...headers, "content-range": `bytes */${bytes.length}` },
    });
  }
  const [from, to] = wanted;
  return new Response(bytes.subarray(from, to + 1) as BodyInit, {
    status: 206,
    headers: { ...headers, "content-range": `bytes ${from}-${to}/${bytes.length}` },
  });
}

// `undefined` for what is no single range: then all is sent, as HTTP has it.
function findRange(
  text: string,
  length: number,
): readonly [from: number, to: number] | "nothing" | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(text) ?? [];
  if (first === undefined || last === undefined || first + last === "") return undefined;
  const from = first === "" ? Math.max(length - Number(last), 0) : Number(first);
  const to = first === "" || last === "" ? length - 1 : Math.min(Number(last), length - 1);
  return from > to || from >= length ? "nothing" : [from, to];
}

// The characters that RFC 5987 leaves as they are.
function encodeName(name: string): string {
  return encodeURIComponent(name.toWellFormed()).replaceAll(
    /['()*]/g,
    (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}
