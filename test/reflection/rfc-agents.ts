import type { LocalAgent, SessionStore } from "turnkeep";
import { agentOf, model } from "../agent/authoring/turns.ts";

/** The two agents of the RFC's examples. */
export function rfcAgents(store: SessionStore): {
  readonly myAgent: LocalAgent<Weather>;
  readonly persistentAgent: LocalAgent<Weather>;
} {
  const myAgent = weatherAgent({
    name: "myAgent",
    description: "A helpful customer service agent",
    about: { version: "1.0.0", tags: ["customer-service", "support"] },
  });
  const persistentAgent = weatherAgent({
    name: "persistentAgent",
    description: "An agent with server-side state",
    store,
  });
  return { myAgent, persistentAgent };
}

type Weather = { status?: string; currentTopic?: string; userPreferences?: object };

function weatherAgent(options: Parameters<typeof agentOf<Weather>>[0]): LocalAgent<Weather> {
  return agentOf<Weather>(options, ({ session, respond }, _, text) => {
    if (text === "Hello!") {
      session.updateCustom(() => ({ currentTopic: "greeting", userPreferences: {} }));
      respond.artifact({
        name: "summary",
        parts: [{ text: "Conversation summary..." }],
        metadata: { generatedAt: 1_705_968_200_000 },
      });
      session.addMessages(model("Hi! How can I help you?"));
      return { finishReason: "stop" };
    }
    respond.text("The");
    respond.text(" weather");
    session.updateCustom((custom) => ({ ...custom, status: "fetching_weather" }));
    respond.artifact({ name: "map", parts: [{ text: "a map" }] });
    session.addMessages(model("The weather"));
    return { finishReason: "stop", usage: { inputTokens: 3, outputTokens: 2 } };
  });
}
