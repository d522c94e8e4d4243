import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { type AgentOutput, type LocalAgent, openInterrupts } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { defineDemoAgents } from "../../src/demo/index.ts";

// No pauses: what is tested here is what the agents do.
const timers = { sleep: () => Promise.resolve(), after: () => () => {} };
let agents: readonly LocalAgent[] = [];

beforeEach(() => {
  agents = defineDemoAgents({ store: new MemoryStore(), timers }) as readonly LocalAgent[];
});
afterEach(() => Promise.all(agents.map((agent) => agent.close())));

const SESSION = { sessionId: "s" };

function find(name: string): LocalAgent {
  return agents.find((agent) => agent.name === name)!;
}

function textOf({ message, error }: AgentOutput): string {
  return message?.content.map(({ text = "" }) => text).join("") ?? error?.message ?? "";
}

async function say(name: string, text: string): Promise<string> {
  return textOf(await find(name).runText(text, SESSION));
}

async function stateOf(name: string): Promise<unknown> {
  return (await find(name).getLatestSnapshot("s")).state?.custom;
}

describe("every agent that has a model", () => {
  test.each(["concierge", "cashier", "scribe", "manager"])(
    "(%s) says that it is a script",
    async (name) => {
      expect(await say(name, "Are you a real AI?")).toMatch(/^I am a script/);
      expect(await say(name, "fnord")).toMatch(/I am a script of a few rules\. Try "/);
      const { state } = await find(name).getLatestSnapshot("s");
      expect(state?.messages?.at(-1)?.metadata).toEqual({ model: "scripted" });
    },
  );
});

describe("the concierge", () => {
  test("keeps what it is told, and finds it in its prompt", async () => {
    expect(await say("concierge", "Hello")).toBe("Welcome to the Turnkeep Hotel. And you are?");
    expect(await say("concierge", "My name is Ada.")).toBe("Ada. I shall not forget it.");
    await say("concierge", "remember that tea is at four");
    expect(await stateOf("concierge")).toEqual({ name: "Ada", notes: ["tea is at four"] });
    const prompt = await say("concierge", "show me your prompt");
    expect(prompt).toContain("The guest is Ada. To remember: tea is at four.");
  });

  test("uses several tools at once", async () => {
    expect(await say("concierge", "weather in Oslo and Rome?")).toMatch(/^Oslo: .+ Rome: .+/);
    const { state } = await find("concierge").getLatestSnapshot("s");
    expect(state?.messages?.map(({ role }) => role)).toEqual(["user", "model", "tool", "model"]);
  });
});

describe("the cashier", () => {
  test("pays small bills at once, and no more than there is", async () => {
    expect(await say("cashier", "pay the baker 20")).toMatch(/^Paid 20 euros to the baker/);
    expect(await say("cashier", "how much is left?")).toContain("480 euros are left");
    expect(await say("cashier", "pay the baker 0")).toContain("Only more than nothing");
  });

  test("asks before it pays a large one", async () => {
    const asked = await find("cashier").runText("pay 300 to the shipyard", SESSION);
    expect(asked.finishReason).toBe("interrupted");
    const [part] = asked.message!.content;
    expect(part?.metadata).toEqual({ interrupt: { question: "Pay 300 euros to the shipyard?" } });
    expect(await stateOf("cashier")).toMatchObject({ euros: 500 });
    const { toolRequest } = part!;
    const restart = [{ toolRequest: toolRequest! }];
    const paid = await find("cashier").run({ resume: { restart } }, SESSION);
    expect(textOf(paid)).toMatch(/^Paid 300 euros to the shipyard, receipt .+ 200 are left\.$/);
    const again = await find("cashier").run({ resume: { restart } }, SESSION);
    expect(again.error?.status).toBe("INVALID_ARGUMENT");
    expect(await stateOf("cashier")).toMatchObject({ euros: 200 });
  });

  test("pays only when it is approved: an answer in its place pays nothing, whatever it says", async () => {
    const [first] = openInterrupts(
      await find("cashier").runText("pay 300 to the shipyard", SESSION),
    );
    const answered = await find("cashier").run(
      { resume: first!.answer({ approved: true }) },
      SESSION,
    );
    expect(textOf(answered)).toBe("Not paid. You said no.");
    expect(await stateOf("cashier")).toMatchObject({ euros: 500 });
    const [second] = openInterrupts(
      await find("cashier").runText("pay 300 to the shipyard", SESSION),
    );
    const paid = await find("cashier").run({ resume: second!.approve() }, SESSION);
    expect(textOf(paid)).toMatch(/^Paid 300 euros/);
  });

  test("does not pay when somebody says no, or speaks of something else", async () => {
    const asked = await find("cashier").runText("pay 300 to the shipyard", SESSION);
    const stray = [{ toolResponse: { name: "fly", output: "no" } }];
    const refused = await find("cashier").run({ resume: { respond: stray } }, SESSION);
    expect(refused.error?.message).toBe('No request of "fly" waits for an answer.');
    const [interrupt] = openInterrupts(asked);
    const denied = await find("cashier").run({ resume: interrupt!.deny("Too much.") }, SESSION);
    expect(textOf(denied)).toBe("Not paid. Too much.");
    await find("cashier").runText("pay 400 to the shipyard", SESSION);
    expect(await say("cashier", "pay the baker 20")).toMatch(/^Paid 20/);
    expect(await stateOf("cashier")).toMatchObject({ euros: 480 });
  });
});

test("the scribe leaves artifacts, and replaces them by name", async () => {
  await say("scribe", "a postcard about the harbour");
  const output = await find("scribe").runText("a postcard about tea", SESSION);
  expect(output.artifacts?.map(({ name }) => name)).toEqual(["postcard.md", "postcard.svg"]);
  expect(output.artifacts?.[0]?.parts[0]?.text).toContain("**tea**");
  expect(output.artifacts?.[1]?.parts[0]?.media?.contentType).toBe("image/svg+xml");
});

test("the stargazer tells how far it is", async () => {
  const { chunks, output } = find("stargazer").streamText("count 3 stars", SESSION);
  const progress: unknown[] = [];
  for await (const { status } of chunks) if (status !== undefined) progress.push(status);
  expect(progress).toMatchObject([
    { looking: "1 of 3" },
    { looking: "2 of 3" },
    { looking: "3 of 3" },
  ]);
  expect(textOf(await output)).toMatch(/^3 stars/);
  expect(await stateOf("stargazer")).toMatchObject({ done: 3, of: 3 });
});

test("the manager has others do the work, each in a session of its own", async () => {
  const output = await find("manager").runText("plan a day in Lisbon", SESSION);
  expect(textOf(output)).toMatch(/The concierge says: Lisbon: .+\nThe scribe says: It is on/);
  expect(output.artifacts?.map(({ name }) => name)).toEqual(["postcard.md", "postcard.svg"]);
  const { sessions } = await find("scribe").listSessions();
  expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s:scribe"]);
});

test("the cellar can be won, and every move gone back to", async () => {
  expect(await say("cellar", "look")).toContain("There is a lamp here");
  for (const move of ["take lamp", "go down", "light lamp", "go east", "take the key", "go west"]) {
    await say("cellar", move);
  }
  await say("cellar", "north");
  expect(await say("cellar", "take book")).toMatch(/"9 moves, all of them kept\." You have won/);
  const [, second] = await find("cellar").listSnapshots("s");
  await find("cellar").runText("go down", { snapshotId: second!.snapshotId });
  expect(await stateOf("cellar")).toMatchObject({ bag: ["lamp"], room: "cellar", won: false });
});
