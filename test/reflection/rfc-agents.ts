import type { LocalAgent, SessionStore } from "turnkeep";
import { agentOf, model } from "../agent/authoring/turns.ts";
import { GARDENER, LIBRARIAN, SESSION } from "./rfc-examples.ts";

/** The two agents of the examples. */
export function rfcAgents(store: SessionStore): {
  readonly gardener: LocalAgent<Shelf>;
  readonly librarian: LocalAgent<Shelf>;
} {
  const { name, description, metadata } = GARDENER;
  const gardener = bookAgent({ name, description, about: { ...metadata } });
  const librarian = bookAgent({
    name: LIBRARIAN.name,
    description: LIBRARIAN.description,
    store,
  });
  return { gardener, librarian };
}

const [greeting, welcome] = SESSION.threads.main;

/** What the agents are greeted with. The session of the examples comes of it. */
export const GREETING: string = greeting.content[0].text;

type Shelf = { step?: string; lastTopic?: string; preferences?: object };

function bookAgent(options: Parameters<typeof agentOf<Shelf>>[0]): LocalAgent<Shelf> {
  return agentOf<Shelf>(options, ({ session, respond }, _, text) => {
    if (text === GREETING) {
      const { artifacts, ...custom } = SESSION.state;
      session.updateCustom(() => custom);
      respond.artifact(artifacts[0]);
      session.addMessages(welcome);
      return { finishReason: "stop" };
    }
    respond.text("The book");
    respond.text(" about bees.");
    session.updateCustom((custom) => ({ ...custom, step: "looking it up" }));
    respond.artifact({ name: "receipt", parts: [{ text: "due Friday" }] });
    session.addMessages(model("The book about bees."));
    return { finishReason: "stop", usage: { inputTokens: 3, outputTokens: 2 } };
  });
}
