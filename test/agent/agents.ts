import {
  type AgentOptions,
  defineCustomAgent,
  type Json,
  type LocalAgent,
  type SessionState,
} from "turnkeep";

/** Answers each message with what it heard, in capitals. */
export function echoAgent<Custom = Json>(
  options: Partial<AgentOptions<Custom>> = {},
): LocalAgent<Custom> {
  return defineCustomAgent<Custom>({ name: "echo", ...options }, async ({ session, respond }) => {
    await session.run(async (input) => {
      const heard = textOf(input.message);
      respond.text(heard.toUpperCase());
      session.addMessages({ role: "model", content: [{ text: heard.toUpperCase() }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

export function textOf(
  message: { readonly content: readonly { readonly text?: string }[] } | undefined,
): string {
  return (message?.content ?? []).map(({ text = "" }) => text).join("");
}

export function textsOf(state: SessionState<never> | SessionState | undefined): readonly string[] {
  return (state?.messages ?? []).map(textOf);
}

export function user(text: string): {
  readonly message: { role: "user"; content: { text: string }[] };
} {
  return { message: { role: "user", content: [{ text }] } };
}
