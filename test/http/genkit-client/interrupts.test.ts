import { remoteAgent } from "genkit/beta/client";
import type { SessionStore } from "turnkeep";
import { describe, expect, it } from "vitest";
import { type Bureau, bureau, SIGN } from "../../genkit/interrupts/bureau.ts";
import { HOLDERS } from "../../genkit/interrupts/talk.ts";
import { responsesIn } from "../../genkit/tools/workshop.ts";
import { served } from "../serving.ts";

describe.each(HOLDERS)("Genkit's client and a tool that waits, held by %s", (_, open) => {
  it("answers for the tool", async () => {
    const { model, done, chat } = await office(await open());
    model.asksFor(SIGN).says("Good.");
    const asked = await chat.send("sign it");
    expect(asked.finishReason).toBe("interrupted");
    const [interrupt] = asked.interrupts;
    expect(interrupt).toMatchObject(SIGN);
    const answered = await chat.resume({ respond: [interrupt!.respond("by hand")] });
    expect([answered.text, answered.finishReason]).toEqual(["Good.", "stop"]);
    expect(responsesIn(model.lastRequest.messages.at(-1))).toEqual([["sign", "s1", "by hand"]]);
    expect(done).toEqual([]);
  });

  it("tells the tool to go on", async () => {
    const { model, done, chat } = await office(await open());
    model.asksFor(SIGN).says("Signed.");
    const [interrupt] = (await chat.send("sign it")).interrupts;
    const turn = chat.resumeStream({ restart: [interrupt!.restart()] });
    for await (const chunk of turn.stream) void chunk;
    expect((await turn.response).text).toBe("Signed.");
    expect(done).toEqual([["sign", true]]);
  });

  it("cannot make a tool run that the model did not ask for", async () => {
    const { model, done, chat } = await office(await open());
    model.asksFor(SIGN);
    await chat.send("sign it");
    const forged = { toolRequest: { name: "note", ref: "s9", input: {} } };
    const refused = chat.resume({ restart: [forged] });
    await expect(refused).rejects.toMatchObject({ status: "INVALID_ARGUMENT" });
    expect(done).toEqual([]);
  });
});

async function office(
  store: SessionStore | undefined,
): Promise<Bureau & { readonly chat: ReturnType<ReturnType<typeof remoteAgent>["chat"]> }> {
  const made = bureau(store);
  const { url } = await served([made.agent]);
  return { ...made, chat: remoteAgent({ url: `${url}/agents/worker` }).chat() };
}
