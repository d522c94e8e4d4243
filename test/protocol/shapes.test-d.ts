import type {
  AgentInput,
  AgentOutput,
  AgentOutputData,
  Json,
  JsonObject,
  JsonPatchOperation,
  Message,
  Part,
  SessionSnapshot,
  SessionState,
  TextPart,
} from "turnkeep/protocol";
import { expectTypeOf, test } from "vitest";

test("every shape is JSON", () => {
  expectTypeOf<Message>().toExtend<JsonObject>();
  expectTypeOf<Part>().toExtend<JsonObject>();
  expectTypeOf<SessionState>().toExtend<JsonObject>();
  expectTypeOf<SessionSnapshot>().toExtend<JsonObject>();
  expectTypeOf<AgentInput>().toExtend<Json>();
  expectTypeOf<AgentOutputData>().toExtend<Json>();
  expectTypeOf<readonly JsonPatchOperation[]>().toExtend<Json>();
});

test("a part may be asked for any kind, and is narrowed by the answer", () => {
  const part = { text: "x" } as Part;
  expectTypeOf(part.text).toEqualTypeOf<string | undefined>();
  if (part.text !== undefined) expectTypeOf(part).toExtend<TextPart>();
  if (part.toolRequest !== undefined) expectTypeOf(part.toolRequest.name).toBeString();
});

test("a part has one kind only", () => {
  // @ts-expect-error two kinds
  const both: Part = { text: "x", media: { url: "u" } };
  // @ts-expect-error no kind
  const none: Part = { metadata: {} };
  expectTypeOf([both, none]).toExtend<Part[]>();
});

test("the custom state has the type the caller gives it", () => {
  interface Mood {
    readonly mood: string;
  }
  expectTypeOf<SessionState<Mood>["custom"]>().toEqualTypeOf<Mood | undefined>();
  expectTypeOf<NonNullable<AgentOutput<Mood>["state"]>["custom"]>().toEqualTypeOf<
    Mood | undefined
  >();
});

test("shapes cannot be changed in place", () => {
  const message: Message = { role: "user", content: [] };
  // @ts-expect-error read-only
  message.role = "tool";
  // @ts-expect-error read-only
  message.content.push({ text: "x" });
});
