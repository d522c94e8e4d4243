import type { MessageData } from "genkit";
import { genkit } from "genkit";
import { type Artifact, defineGeneratorAgent, type Message, type Session } from "turnkeep";
import { defineGeneratorAgent as defineOnGenkit } from "turnkeep/genkit";
import type { Resume } from "turnkeep/protocol";
import { describe, expectTypeOf, test } from "vitest";
import { z } from "zod";

describe("a generator agent", () => {
  test("types its loop by the state", () => {
    const agent = defineGeneratorAgent(
      { name: "counter", state: z.object({ count: z.number().default(0) }) },
      async function* ({ inputStream, init, session, signal }) {
        expectTypeOf(init.sessionId).toEqualTypeOf<string>();
        expectTypeOf(init.messages).toEqualTypeOf<readonly Message[]>();
        expectTypeOf(init.artifacts).toEqualTypeOf<readonly Artifact[]>();
        expectTypeOf(init.state).toEqualTypeOf<{ count: number } | undefined>();
        expectTypeOf(session).toEqualTypeOf<Session<{ count: number }>>();
        expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
        for await (const input of inputStream) {
          expectTypeOf(input).toExtend<Message>();
          expectTypeOf(input.resume).toEqualTypeOf<Resume | undefined>();
        }
        return { state: { count: (init.state?.count ?? 0) + 1 } };
      },
    );
    expectTypeOf(agent.runText("a"))
      .resolves.toHaveProperty("messages")
      .toEqualTypeOf<readonly Message[] | undefined>();
  });

  test("may leave out its session's id and everything else", () => {
    defineGeneratorAgent({ name: "a" }, async function* ({ sendChunk, init }) {
      const sessionId = init.sessionId as string | undefined;
      sendChunk({ sessionId, chunk: undefined, stateUpdate: undefined });
      return { sessionId, messages: undefined, state: undefined, finishReason: undefined };
    });
    defineGeneratorAgent({ name: "b" }, async function* () {});
  });

  test("does not compile when it returns or sends something else", () => {
    // @ts-expect-error no finish reason
    defineGeneratorAgent({ name: "a" }, async function* () {
      return { finishReason: "nonsense" };
    });
    // @ts-expect-error no messages
    defineGeneratorAgent({ name: "a" }, async function* () {
      return { messages: ["hello"] };
    });
    // @ts-expect-error the state is a number
    defineGeneratorAgent<number>({ name: "a" }, async function* () {
      return { state: "one" };
    });
    // @ts-expect-error no chunk
    defineGeneratorAgent({ name: "a" }, async function* () {
      yield "hello";
    });
    defineGeneratorAgent({ name: "a" }, async function* ({ sendChunk }) {
      // @ts-expect-error the end of a turn is not the loop's to send
      sendChunk({ turnEnd: {} });
      // @ts-expect-error a state update is a JSON Patch
      sendChunk({ stateUpdate: { count: 1 } });
    });
    // @ts-expect-error no generator
    defineGeneratorAgent({ name: "a" }, async () => ({}));
  });

  test("on Genkit has Genkit's messages, chunks and answers", () => {
    const ai = genkit({});
    defineOnGenkit(ai, { name: "a" }, async function* ({ inputStream, init, sendChunk }) {
      expectTypeOf(init.messages).toEqualTypeOf<MessageData[]>();
      for await (const input of inputStream) {
        const response = await ai.generate({
          messages: [...init.messages, input],
          ...(input.resume && { resume: input.resume }),
          onChunk: (chunk) => sendChunk({ chunk }),
        });
        return { messages: response.messages };
      }
      return {};
    });
  });
});
