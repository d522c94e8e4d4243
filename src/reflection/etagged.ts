import type { RequestHead } from "../http/index.ts";
import { hashText } from "../ledger/index.ts";

/** The value as JSON, under a name for just this value: a reader that has it is told so, and nothing more. */
export async function etagged(request: RequestHead, value: object): Promise<Response> {
  const text = JSON.stringify(value);
  const etag = `"${hashText(text).slice(0, 32)}"`;
  const headers = { etag, "cache-control": "private, no-cache" };
  const known = (request.headers.get("if-none-match") ?? "").split(",").map((one) => one.trim());
  if (known.includes(etag)) return new Response(null, { status: 304, headers });
  return new Response(text, { headers: { ...headers, "content-type": "application/json" } });
}
