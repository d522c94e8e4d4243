import { expect, test } from "vitest";
import { startReflection } from "./reflection.ts";
import { user } from "./registered.ts";
import { memory, talker } from "./talker.ts";

test("Genkit's developer tools list agents with what they are and take", async () => {
  const { ai, agent } = talker(memory());
  const { get } = await startReflection(ai);
  const actions = (await (await get("/api/actions")).json()) as Record<string, object>;
  expect(actions["/agent/talker"]).toMatchObject({
    key: "/agent/talker",
    name: "talker",
    description: "Talks.",
    metadata: { bidi: true, agent: agent.metadata },
    inputSchema: { type: "object", properties: { message: { type: "object" } } },
    outputSchema: { type: "object", properties: { finishReason: {} } },
  });
  expect(Object.keys(actions)).toEqual(
    expect.arrayContaining([
      "/agent-snapshot/talker",
      "/agent-abort/talker",
      "/snapshot-store/talker/getSnapshot",
      "/snapshot-store/talker/listSnapshots",
      "/prompt/talker",
      "/model/echo",
    ]),
  );
});

test("they run a turn and go on with it", async () => {
  const { ai } = talker(memory());
  const { post } = await startReflection(ai);
  const key = "/agent/talker";
  const first = await post("/api/runAction", {
    key,
    input: user("a"),
    init: { sessionId: "s" },
    context: { auth: { uid: "u1" } },
  });
  const trace = first.headers.get("x-genkit-trace-id");
  const { result, telemetry } = (await first.json()) as Ran;
  expect(result).toMatchObject({ sessionId: "s", finishReason: "stop" });
  expect(telemetry).toEqual({ traceId: trace });
  const init = { snapshotId: result["snapshotId"] };
  const second = (await (
    await post("/api/runAction", { key, input: user("b"), init })
  ).json()) as Ran;
  expect(second.result).toMatchObject({ message: { content: [{ text: "B of A" }] } });
  const read = await post("/api/runAction", {
    key: "/agent-snapshot/talker",
    input: { sessionId: "s" },
  });
  expect(((await read.json()) as Ran).result).toMatchObject({
    status: "completed",
    snapshotId: second.result["snapshotId"],
  });
  const listed = await post("/api/runAction", {
    key: "/snapshot-store/talker/listSnapshots",
    input: { sessionId: "s" },
  });
  expect(((await listed.json()) as Ran).result).toHaveLength(2);
});

test("they stream a turn line by line, the result last", async () => {
  const { ai } = talker(memory());
  const { post } = await startReflection(ai);
  const response = await post("/api/runAction?stream=true", {
    key: "/agent/talker",
    input: user("a"),
    init: { sessionId: "s" },
  });
  const lines = linesOf(await response.text());
  expect(lines[0]).toMatchObject({ modelChunk: { content: [{ text: "A" }] } });
  expect(lines.at(-2)).toMatchObject({ turnEnd: { finishReason: "stop" } });
  expect(lines.at(-1)).toMatchObject({ result: { sessionId: "s", finishReason: "stop" } });
});

test.each([
  ["an input that is none", { key: "/agent/talker", input: null }, 3],
  [
    "a state that the agent keeps itself",
    { key: "/agent/talker", input: user("a"), init: { state: {} } },
    9,
  ],
  [
    "a snapshot that is not there",
    { key: "/agent-snapshot/talker", input: { snapshotId: "s.1" } },
    5,
  ],
  ["an abort of nothing", { key: "/agent-abort/talker", input: {} }, 3],
])("they are told the status of %s, and the trace", async (_, body, code) => {
  const { ai } = talker(memory());
  const { post } = await startReflection(ai);
  for (const query of ["", "?stream=true"]) {
    const response = await post(`/api/runAction${query}`, body);
    const { error } = linesOf(await response.text()).at(-1) as unknown as Failed;
    const traceId = response.headers.get("x-genkit-trace-id");
    expect(error).toMatchObject({ code, details: { traceId } });
  }
});

test("they cancel a turn: model and snapshot are aborted", async () => {
  const { ai, agent, waits, reasons } = talker(memory());
  const { post } = await startReflection(ai);
  const response = await post("/api/runAction", {
    key: "/agent/talker",
    input: user("wait"),
    init: { sessionId: "s" },
  });
  await waits;
  const traceId = response.headers.get("x-genkit-trace-id");
  expect((await post("/api/cancelAction", { traceId })).status).toBe(200);
  expect(((await response.json()) as Ran).result).toMatchObject({ finishReason: "aborted" });
  expect(reasons).toHaveLength(1);
  expect(await agent.listSnapshots("s")).toMatchObject([{ status: "aborted" }]);
});

test("they abort a turn by its snapshot", async () => {
  const { ai, agent, waits, reasons } = talker(memory());
  const { post } = await startReflection(ai);
  const running = agent.runText("use the tool", { sessionId: "s" });
  await waits;
  const [{ snapshotId } = { snapshotId: "" }] = await agent.listSnapshots("s");
  const aborted = await post("/api/runAction", {
    key: "/agent-abort/talker",
    input: { snapshotId },
  });
  expect(((await aborted.json()) as Ran).result).toEqual({ snapshotId, status: "aborted" });
  expect(await running).toMatchObject({ finishReason: "aborted" });
  expect(reasons).toHaveLength(1);
});

interface Ran {
  readonly result: Readonly<Record<string, unknown>>;
  readonly telemetry: object;
}

interface Failed {
  readonly error: object;
}

function linesOf(text: string): readonly object[] {
  return text
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as object);
}
