import type { Json, SessionStore } from "turnkeep";
import { type ToolWork, workshop, type Workshop } from "../tools/workshop.ts";
import { Talk } from "./talk.ts";

/** A request of the tool that waits for a person. */
export const SIGN = { name: "sign", ref: "s1", input: { paper: "lease" } };

export interface Bureau extends Workshop {
  readonly talk: Talk;
  /** What the tools did: each tool's name, and the word it went on with. */
  readonly done: (readonly [name: string, resumed: unknown])[];
}

/** An agent with a tool that waits for a person's word (`sign`), and one that waits for none (`note`). */
export function bureau(
  store: SessionStore | undefined,
  more: Readonly<Record<string, ToolWork>> = {},
): Bureau {
  const done: (readonly [name: string, resumed: unknown])[] = [];
  const made = workshop({
    ...(store && { store }),
    tools: {
      sign: (input, { resumed, interrupt }) => {
        if (!resumed) interrupt({ question: "May I?" });
        done.push(["sign", resumed]);
        return { signed: input as Json };
      },
      note: () => {
        done.push(["note", undefined]);
        return "noted";
      },
      ...more,
    },
  });
  return { ...made, done, talk: new Talk(made.agent) };
}
