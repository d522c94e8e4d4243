import { defineGeneratorAgent } from "turnkeep";
import { genkitProtocol, remoteAgent } from "turnkeep/client";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, test } from "vitest";
import { said } from "../agent/generator/loops.ts";
import { textOf } from "../agent/agents.ts";
import { served } from "../http/serving.ts";

test.each([
  ["native", undefined],
  ["Genkit's", genkitProtocol],
] as const)(
  "a remote generator agent names its session in every chunk and returns the history, over the %s protocol",
  async (_, protocol) => {
    const agent = defineGeneratorAgent(
      { name: "looping", store: new MemoryStore() },
      async function* ({ inputStream, init, sendChunk }) {
        for await (const input of inputStream) {
          const answer = said(`re: ${textOf(input)}`);
          sendChunk({ chunk: answer });
          yield { status: "answered" };
          return { messages: [...init.messages, input, answer] };
        }
        return {};
      },
    );
    const { url } = await served([agent]);
    const remote = remoteAgent({
      url: `${url}/agents/looping`,
      ...(protocol && { protocol }),
    });
    await remote.runText("one", { sessionId: "s" });
    const { chunks, output } = remote.streamText("two", { sessionId: "s" });
    const sessions: unknown[] = [];
    for await (const { sessionId } of chunks) sessions.push(sessionId);
    expect(sessions).toEqual(["s", "s", "s"]);
    expect((await output).messages?.map(textOf)).toEqual(["one", "re: one", "two", "re: two"]);
  },
);
