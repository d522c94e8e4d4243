import type { Agent, AgentOutput, Json, LocalAgent } from "turnkeep";
import { type RemoteAgent, remoteAgent } from "turnkeep/client";
import { useAgent } from "turnkeep/react";
import { expectTypeOf, test } from "vitest";

type Mood = { mood: string };
type Answer = { yes: boolean };

test("a remote agent can stand wherever a local one can", () => {
  expectTypeOf<RemoteAgent<Mood, Answer>>().toExtend<Agent<Mood, Answer>>();
  expectTypeOf<LocalAgent<Mood, Answer>>().toExtend<Agent<Mood, Answer>>();
});

test("a hook takes either", () => {
  const local = {} as LocalAgent<Mood, Answer>;
  const remote = remoteAgent<Mood, Answer>({ url: "" });
  expectTypeOf(useAgent(local).state).toEqualTypeOf<Mood | undefined>();
  expectTypeOf(useAgent(remote).state).toEqualTypeOf<Mood | undefined>();
});

test("state and output are typed", () => {
  const agent = remoteAgent<Mood, Answer>({ url: "" });
  expectTypeOf(agent.runText("a")).resolves.toEqualTypeOf<AgentOutput<Mood, Answer>>();
  expectTypeOf(agent.connect().custom()).toEqualTypeOf<Mood | undefined>();
  // @ts-expect-error -- the mood is text
  void agent.runText("a", { state: { custom: { mood: 5 } } });
  // @ts-expect-error -- no such option
  void agent.runText("a", { session: "s" });
  // @ts-expect-error -- without an address there is no agent
  remoteAgent({});
});

test("a remote agent has the types of the local one", async () => {
  interface Step {
    step: number;
  }
  const agent = remoteAgent<Mood, Answer, Step>({ url: "" });
  expectTypeOf(agent).toExtend<Agent<Mood, Answer, Json, Step>>();
  for await (const { status } of agent.streamText("a").chunks) {
    expectTypeOf(status).toEqualTypeOf<Step | undefined>();
  }
  for await (const { chunk } of agent.attach("s.1")) {
    expectTypeOf(chunk?.status).toEqualTypeOf<Step | undefined>();
  }
  useAgent(agent);
  const { sessionId, snapshotId, text } = await agent.runText("a");
  expectTypeOf(text).toEqualTypeOf<string>();
  void agent.runText("a", { sessionId, snapshotId, signal: undefined });
});
