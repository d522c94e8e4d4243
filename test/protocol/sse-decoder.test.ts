import { SseDecoder, type SseMessage, type SseOptions } from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

const encoder = new TextEncoder();

function decode(text: string, pieceLength: number, options?: SseOptions): SseMessage[] {
  const decoder = new SseDecoder(options);
  const bytes = encoder.encode(text);
  const messages: SseMessage[] = [];
  for (let start = 0; start < bytes.length; start += pieceLength) {
    messages.push(...decoder.push(bytes.subarray(start, start + pieceLength)));
  }
  decoder.end();
  return messages;
}

function message(data: string, more: Partial<SseMessage> = {}): SseMessage {
  return { event: "message", data, ...more };
}

const STREAMS: readonly [name: string, text: string, messages: SseMessage[]][] = [
  ["one message", "data: hi\n\n", [message("hi")]],
  [
    "LF, CRLF and CR as line ends",
    "data: a\n\ndata: b\r\n\r\ndata: c\r\r",
    [message("a"), message("b"), message("c")],
  ],
  ["line ends mixed", "data: a\r\ndata: b\rdata: c\n\r\n", [message("a\nb\nc")]],
  ["a CR then an empty line", "data: a\r\n\ndata: b\n\r", [message("a"), message("b")]],
  ["data of several lines", "data: a\ndata:\ndata: c\n\n", [message("a\n\nc")]],
  ["empty data", "data:\n\ndata\n\n", [message(""), message("")]],
  [
    "one blank stripped, no more",
    "data:a\n\ndata: a\n\ndata:  a\n\n",
    [message("a"), message("a"), message(" a")],
  ],
  ["a byte order mark at the start only", "\ufeffdata: \ufeff\n\n", [message("\ufeff")]],
  ["comments passed over", ": ping\n\n:\n\ndata: a\n: inside\ndata: b\n\n", [message("a\nb")]],
  [
    "an event name for its message only",
    "event: x\ndata: 1\n\ndata: 2\n\n",
    [message("1", { event: "x" }), message("2")],
  ],
  ["an event without data dropped", "event: x\n\ndata: 2\n\n", [message("2")]],
  [
    "an id that stays in force",
    "id: r.1\ndata: 1\n\ndata: 2\n\nid\ndata: 3\n\n",
    [message("1", { id: "r.1" }), message("2", { id: "r.1" }), message("3")],
  ],
  [
    "an id with NUL ignored",
    "id: a\ndata: 1\n\nid: b\0\ndata: 2\n\n",
    [message("1", { id: "a" }), message("2", { id: "a" })],
  ],
  [
    "a retry time",
    "retry: 250\ndata: 1\n\nretry: 1x\nretry: -1\ndata: 2\n\n",
    [message("1", { retry: 250 }), message("2", { retry: 250 })],
  ],
  [
    "unknown fields and spellings ignored",
    "DATA: x\nfoo: bar\n data: y\ndata: z\n\n",
    [message("z")],
  ],
  [
    "Genkit's error line as an event",
    'data: {}\n\nerror: {"error":1}\n\n',
    [message("{}"), message('{"error":1}', { event: "error" })],
  ],
  ["characters of two, three and four bytes", "data: é€😀\n\n", [message("é€😀")]],
  ["a missing empty line at the end", "data: a\n\ndata: lost\n", [message("a")]],
  ["a missing line end at the end", "data: a\n\ndata: lost", [message("a")]],
  ["only empty lines", "\n\r\n\r\n\n", []],
  ["nothing", "", []],
];

describe("SseDecoder", () => {
  it.each(STREAMS)("reads %s, however it is cut", (_name, text, messages) => {
    for (const pieceLength of [1, 2, 3, 5, 7, 1000]) {
      expect(decode(text, pieceLength)).toStrictEqual(messages);
    }
  });

  it("gives a message as soon as its empty line is there, even one of CR", () => {
    const decoder = new SseDecoder();
    expect(decoder.push(encoder.encode("data: a\r\r"))).toHaveLength(1);
    expect(decoder.push(encoder.encode("\ndata: b\n"))).toHaveLength(0);
    expect(decoder.push(encoder.encode("\n"))).toStrictEqual([message("b")]);
  });

  it("takes empty pieces", () => {
    const decoder = new SseDecoder();
    decoder.push(encoder.encode("data: a\r"));
    decoder.push(new Uint8Array());
    expect(decoder.push(encoder.encode("\n\n"))).toStrictEqual([message("a")]);
  });

  it("says at the end whether a message was cut off", () => {
    const endings: [string, boolean][] = [
      ["data: a\n\n", true],
      ["", true],
      [": c\n", true],
      ["data: a\n", false],
      ["dat", false],
      ["\u00e9", false],
    ];
    for (const [text, isClean] of endings) {
      const decoder = new SseDecoder();
      decoder.push(encoder.encode(text).subarray(0, text === "\u00e9" ? 1 : undefined));
      expect(decoder.end()).toBe(isClean);
    }
  });

  it("replaces bytes that are no UTF-8", () => {
    const decoder = new SseDecoder();
    const bytes = Uint8Array.of(...encoder.encode("data: "), 0xff, 0xc3, 0x0a, 0x0a);
    expect(decoder.push(bytes)).toStrictEqual([message("\ufffd\ufffd")]);
  });

  it.each([1, 4, 1000])("refuses an event over its limit, cut into pieces of %i", (pieceLength) => {
    const limits = { sseEventLength: 20 };
    const fits = "data: 1234\ndata: 5678\n\n";
    expect(decode(fits + fits, pieceLength, { limits })).toHaveLength(2);
    for (const text of [
      "data: 1234\ndata: 56789\n\n",
      "data: 123456789012345",
      `:${"x".repeat(20)}\n`,
      `${"data\n".repeat(6)}\n`,
    ]) {
      const error = refusalOf(() => decode(text, pieceLength, { limits }));
      expect(error).toMatchObject({ status: "RESOURCE_EXHAUSTED", reason: "LIMIT_EXCEEDED" });
    }
  });

  it("refuses a limit that is none", () => {
    expect(() => new SseDecoder({ limits: { sseEventLength: 0 } })).toThrow(
      "The limit sseEventLength",
    );
  });

  it("stays linear for one long line in many pieces", () => {
    // Copied at every piece, the line would be more than two terabytes: that would not end in the time of a test.
    const decoder = new SseDecoder();
    const piece = encoder.encode("x".repeat(8));
    decoder.push(encoder.encode("data: "));
    for (let count = 0; count < 800_000; count += 1) decoder.push(piece);
    expect(decoder.push(encoder.encode("\n\n"))[0]?.data).toHaveLength(6_400_000);
  });
});
