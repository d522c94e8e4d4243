import { defineGeneratorAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";

// A loop over a stream of inputs. It returns the whole history, which is saved with the turn.
const rhymer = defineGeneratorAgent(
  { name: "rhymer", store: new MemoryStore() },
  async function* ({ inputStream, init, sendChunk }) {
    let messages = init.messages;
    for await (const input of inputStream) {
      const text = `${input.content[0]?.text}, ${messages.length === 0 ? "you see" : "with tea"}`;
      sendChunk({ chunk: { content: [{ text }] } });
      messages = [...messages, input, { role: "model", content: [{ text }] }];
    }
    return { messages };
  },
);

const { chunks, output } = rhymer.streamText("Come and sit with me", { sessionId: "poem" });
for await (const { sessionId, modelChunk } of chunks) {
  if (modelChunk) console.log(`${sessionId}: ${modelChunk.content[0]?.text}`);
}
console.log("finished:", (await output).finishReason);
const second = await rhymer.runText("Under the tree", { sessionId: "poem" });
console.log(second.messages?.map(({ content }) => content[0]?.text).join(" | "));

// A loop that yields its answer and returns nothing: the pieces become the model's message.
const waiter = defineGeneratorAgent<{ cups: number }>(
  { name: "waiter", store: new MemoryStore() },
  async function* ({ inputStream, init }) {
    for await (const input of inputStream) {
      // The answer to an interrupt, as the client sent it.
      const answer = input.resume?.respond?.[0]?.toolResponse.output;
      if (answer === undefined) {
        const toolRequest = { name: "confirm", ref: "1", input: { order: "tea" } };
        yield { chunk: { content: [{ toolRequest, metadata: { interrupt: true } }] } };
        continue;
      }
      const cups = (init.state?.cups ?? 0) + 1;
      yield { stateUpdate: [{ op: "replace", path: "", value: { cups } }] };
      yield { chunk: { content: [{ text: "One tea, " }] } };
      yield { chunk: { content: [{ text: `cup number ${cups}.` }] } };
    }
  },
);

const asked = await waiter.runText("Tea, please", { sessionId: "table" });
console.log("finished:", asked.finishReason);
const respond = [{ toolResponse: { name: "confirm", ref: "1", output: "yes" } }];
const served = await waiter.run({ resume: { respond } }, { sessionId: "table" });
console.log(served.message?.content[0]?.text, "finished:", served.finishReason);
