import { type AgentAPI, remoteAgent } from "genkit/beta/client";
import type { AgentOptions, LocalAgent, SessionStore } from "turnkeep";
import type { ServeOptions } from "turnkeep/node";
import { agentOf, model } from "../../agent/authoring/turns.ts";
import { gateOf, untilAborted } from "../../agent/life/waiting.ts";
import { type Served, served } from "../serving.ts";

export interface Trip {
  stops: string[];
  note?: string;
}

export interface TripTalk extends Served {
  readonly agent: LocalAgent<Trip>;
  /** Genkit's own client. */
  readonly client: AgentAPI<Trip>;
  /** Lets a "slow" turn go on. */
  readonly goOn: () => void;
  /** Resolves when a "slow" or an "endless" turn has begun. */
  readonly hasBegun: Promise<void>;
  /** Resolves when an "endless" turn was told to stop. */
  readonly wasStopped: Promise<void>;
}

/** An agent that does what it is told in one word, and Genkit's client for it. */
export async function tripTalk(
  store: SessionStore | undefined,
  options: Partial<ServeOptions> & Partial<AgentOptions<Trip>> = {},
): Promise<TripTalk> {
  const [gate, begun, stopped] = [gateOf(), gateOf(), gateOf()];
  const { limits, auth, onAccess, ...agentOptions } = options as Partial<ServeOptions>;
  const agent = agentOf<Trip>(
    { name: "trip", ...(store && { store }), ...(agentOptions as object) },
    async ({ session, respond }, { signal }, text) => {
      session.updateCustom((trip) => ({ stops: [...(trip?.stops ?? []), text] }));
      respond.text("To ");
      if (text === "nowhere") throw new Error("canary-nowhere");
      if (text === "slow" || text === "endless") begun.open();
      if (text === "slow") await gate.promise;
      if (text === "endless") await untilAborted(signal).catch(() => stopped.open());
      signal.throwIfAborted();
      for (const word of text.split(" ")) respond.text(`${word} `);
      respond.artifact({ name: "ticket", parts: [{ text: `ticket to ${text}` }] });
      session.addMessages(model(`To ${text}`));
      return { finishReason: "stop" };
    },
  );
  const made = await served([agent], {
    // Those of a public server: Genkit's client needs no others.
    routes: undefined,
    ...(limits && { limits }),
    ...(auth !== undefined && { auth }),
    ...(onAccess && { onAccess }),
  });
  return {
    ...made,
    agent,
    client: remoteAgent<Trip>({ url: `${made.url}/agents/trip` }),
    goOn: gate.open,
    hasBegun: begun.promise,
    wasStopped: stopped.promise,
  };
}
