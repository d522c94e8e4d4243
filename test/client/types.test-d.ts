import type { Agent, AgentConnection, AgentOutput, LocalAgent } from "turnkeep";
import { type Connection, type RemoteAgent, remoteAgent } from "turnkeep/client";
import { useAgent } from "turnkeep/react";
import { expectTypeOf, test } from "vitest";

type Mood = { mood: string };
type Answer = { yes: boolean };

// The connection of a local agent is a class of its own; what counts is what it shows. Some of that only servers use.
type Shown<Value> = { [Key in keyof Value]: Value[Key] };
type LocalConnection = Omit<
  Shown<AgentConnection<Mood, Answer>>,
  "hasStarted" | "batches" | "sendParsed" | "span"
>;
type AnyAgent = Omit<Agent<Mood, Answer>, "connect"> & {
  connect(options?: Parameters<Agent<Mood>["connect"]>[0]): LocalConnection;
};

test("a remote agent can stand wherever a local one can", () => {
  expectTypeOf<RemoteAgent<Mood, Answer>>().toExtend<AnyAgent>();
  expectTypeOf<Connection<Mood, Answer>>().toExtend<LocalConnection>();
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
