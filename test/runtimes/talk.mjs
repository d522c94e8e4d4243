// Plain JavaScript on the built package: runtimes without a loader of ours run it as it is.
import { remoteAgent } from "../../dist/client/index.js";

/** Talks to the counting agent at `url` in every way that a runtime may handle differently, and says what came of it. */
export async function talk(url) {
  const agent = remoteAgent({ url, fetch: cutOnce() });
  const sessionId = crypto.randomUUID();
  const { chunks, output } = agent.streamText("één ✓ two three", { sessionId });
  let said = "";
  for await (const { modelChunk } of chunks) said += modelChunk?.content[0].text ?? "";
  const { message, state } = await output;
  const run = await agent.detach(
    { message: { role: "user", content: [{ text: "later" }] } },
    { sessionId },
  );
  const { status, state: after } = await run.wait();
  const events = [];
  for await (const { type } of agent.attach(run.runId, { after: 1 })) events.push(type);
  const refused = await agent.getSnapshot("none").catch((error) => error.status);
  return {
    said,
    answer: message.content[0].text,
    isCarried: state !== undefined,
    status,
    turns: after.custom.turns,
    lastEvent: events.at(-1),
    refused,
  };
}

// Breaks the first stream off in the middle: the client has to come back for the rest.
function cutOnce() {
  let isCut = false;
  return async (url, init) => {
    const response = await fetch(url, init);
    if (isCut || !response.headers.get("content-type")?.includes("event-stream")) return response;
    isCut = true;
    const reader = response.body.getReader();
    let pieces = 0;
    const body = new ReadableStream({
      async pull(controller) {
        const { done, value } = await reader.read();
        if (done) return controller.close();
        pieces += 1;
        if (pieces <= 2) return controller.enqueue(value);
        await reader.cancel();
        controller.error(new TypeError("cut"));
      },
    });
    return new Response(body, response);
  };
}
