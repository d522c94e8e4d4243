import type { ServableAgents } from "turnkeep/http";
import { createReflection, type Reflection, type ReflectionOptions } from "turnkeep/reflection";
import { type Answer, answerOf, type Ask, requestInit, WIDE } from "../http/serving.ts";

export interface Reflected {
  readonly reflection: Reflection;
  /** Asks below `/api`, with the token. */
  readonly ask: (path: string, ask?: Ask) => Promise<Answer>;
  /** The answer as it begins, for those who read it themselves. */
  readonly open: (path: string, ask?: Ask) => Promise<Response>;
  /** Errors that clients were not told. */
  readonly errors: readonly unknown[];
}

/** A reflection API of these agents, asked without any server. */
export function reflecting(
  agents: ServableAgents,
  options: Partial<ReflectionOptions> = {},
): Reflected {
  const errors: unknown[] = [];
  const reflection = createReflection(agents, {
    environment: "test",
    onError: (error) => errors.push(error),
    limits: { ...WIDE, ...options.limits },
    ...options,
  });
  const open = (path: string, ask: Ask = {}): Promise<Response> =>
    reflection(
      new Request(`http://localhost${options.path ?? ""}/api/${path}`, {
        ...requestInit({
          ...ask,
          headers: { authorization: `Bearer ${reflection.token}`, ...ask.headers },
        }),
      }),
    );
  return {
    reflection,
    open,
    ask: async (...args) => await answerOf(await open(...args)),
    errors,
  };
}

/** One turn's body. */
export function turn(text: string, more: object = {}): object {
  return { input: { role: "user", content: [{ text }] }, ...more };
}

/** Lists are in the order of time, which stores know by the millisecond. */
export async function nextMillisecond(): Promise<void> {
  const now = Date.now();
  while (Date.now() === now) await new Promise((resolve) => setTimeout(resolve, 1));
}
