import { encodeSse, SseDecoder, type SseFrame, type SseMessage } from "turnkeep/protocol";
import fc from "fast-check";
import { describe, expect, it } from "vitest";

const encoder = new TextEncoder();

function decodeInPieces(text: string, cuts: readonly number[]): SseMessage[] {
  const bytes = encoder.encode(text);
  const ends = cuts.map((cut) => cut % (bytes.length + 1)).toSorted((left, right) => left - right);
  const decoder = new SseDecoder();
  const messages: SseMessage[] = [];
  let start = 0;
  for (const end of [...ends, bytes.length]) {
    messages.push(...decoder.push(bytes.subarray(start, end)));
    start = end;
  }
  return messages;
}

/** What the rules of `SseFrame` promise to come out again. */
function expected(frames: readonly SseFrame[]): SseMessage[] {
  let id: string | undefined;
  let retry: number | undefined;
  const messages: SseMessage[] = [];
  for (const frame of frames) {
    id = frame.id ?? id;
    retry = frame.retry ?? retry;
    if (frame.data === undefined) continue;
    messages.push({
      event: frame.event ?? "message",
      data: frame.data.replaceAll("\r\n", "\n").replaceAll("\r", "\n"),
      ...(id === undefined ? {} : { id }),
      ...(retry === undefined ? {} : { retry }),
    });
  }
  return messages;
}

function findEncoded(frame: SseFrame): string | undefined {
  try {
    return encodeSse(frame);
  } catch {
    return undefined;
  }
}

const nastyText = fc.oneof(
  fc.string({ unit: "binary", maxLength: 20 }),
  fc
    .array(
      fc.constantFrom(
        "\n",
        "\r",
        "\r\n",
        "data: ",
        "id: x",
        ":",
        " ",
        "\0",
        "\ufeff",
        "é",
        "😀",
        "event: y",
        "\u2028",
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join("")),
);

const anyFrame: fc.Arbitrary<SseFrame> = fc.record(
  {
    data: nastyText,
    comment: nastyText,
    id: fc.stringMatching(/^[A-Za-z0-9._~-]{1,8}$/),
    event: fc.stringMatching(/^[A-Za-z0-9_-]{1,8}$/),
    retry: fc.nat(),
  },
  { requiredKeys: ["data"] },
);

describe("SSE on generated streams", () => {
  it("reads back 100,000 arbitrary texts, cut anywhere", () => {
    const cuts = fc.array(fc.nat({ max: 200 }), { maxLength: 6 });
    const property = fc.property(nastyText, cuts, (data, list) => {
      const messages = decodeInPieces(encodeSse({ data }), list);
      const wanted = data.replaceAll("\r\n", "\n").replaceAll("\r", "\n");
      if (messages.length !== 1 || messages[0]?.data !== wanted) throw new Error("not the same");
    });
    fc.assert(property, { numRuns: 100_000 });
  });

  it("reads back 10,000 streams of frames with all fields", () => {
    const frames = fc.array(anyFrame, { maxLength: 5 });
    const property = fc.property(frames, fc.array(fc.nat(), { maxLength: 10 }), (list, cuts) => {
      const text = list.map((one) => encodeSse(one)).join("");
      expect(text.includes("\r")).toBe(false);
      expect(decodeInPieces(text, cuts)).toStrictEqual(expected(list));
    });
    fc.assert(property, { numRuns: 10_000 });
  });

  it("gives the same messages for any bytes, however they are cut", () => {
    const line = fc.constantFrom(
      "data",
      "data: a",
      "id: 1",
      ": c",
      "event: e",
      "retry: 3",
      "é",
      "",
      "error: x",
    );
    const lineEnd = fc.constantFrom("\n", "\r", "\r\n");
    const lines = fc.array(fc.tuple(line, lineEnd), { maxLength: 12 });
    const property = fc.property(lines, fc.array(fc.nat(), { maxLength: 12 }), (list, cuts) => {
      const text = list.flat().join("");
      expect(decodeInPieces(text, cuts)).toStrictEqual(decodeInPieces(text, []));
    });
    fc.assert(property, { numRuns: 20_000 });
  });

  it("lets no id or event through that is not of the allowed letters", () => {
    const property = fc.property(
      fc.oneof(fc.string({ unit: "binary" }), fc.stringMatching(/^[A-Za-z_-]{1,5}[.:\n]?$/)),
      (text) => {
        const isAllowed = /^[A-Za-z0-9_-]+$/.test(text);
        const wanted = isAllowed ? `event: ${text}\nid: ${text}\ndata: x\n\n` : undefined;
        expect(findEncoded({ id: text, event: text, data: "x" })).toBe(wanted);
      },
    );
    fc.assert(property, { numRuns: 20_000 });
  });
});
