import { type AgentOptions, defineCustomAgent, type LocalAgent, type TurnContext } from "turnkeep";
import { textOf } from "../agents.ts";

/** What a test does in the middle of a turn. */
export type Meanwhile = (text: string, turn: TurnContext) => Promise<void> | void;

/** Answers "re: …" after the test's own work, streaming a word before and one after it. */
export function slowAgent(
  options: Partial<AgentOptions<never>>,
  meanwhile: Meanwhile = () => {},
): LocalAgent {
  const given = { name: "slow", ...options } as AgentOptions<never>;
  return defineCustomAgent(given, async ({ session, respond }) => {
    await session.run(async (input, turn) => {
      const text = textOf(input.message);
      respond.text(`hm, ${text}`);
      await meanwhile(text, turn);
      respond.text(`re: ${text}`);
      session.addMessages({ role: "model", content: [{ text: `re: ${text}` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  }) as unknown as LocalAgent;
}
