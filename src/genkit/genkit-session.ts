import type { MessageData } from "genkit";
import { Session as GenkitSessionBase, type Artifact as GenkitArtifact } from "genkit/beta";
import type { Session } from "../agent/index.ts";
import { genkitCopy, ourArtifacts, ourMessages } from "./genkit-types.ts";

type GenkitState = ReturnType<GenkitSessionBase["getState"]>;

/** Our session as Genkit's tools, prompts and middleware know one: `ai.currentSession()` and `{{@state.field}}`. */
export class GenkitSession extends GenkitSessionBase {
  readonly #session: Session<unknown>;

  constructor(session: Session<unknown>) {
    super({ sessionId: session.sessionId });
    this.#session = session;
  }

  override getState(): GenkitState {
    return genkitCopy(this.#session.state());
  }

  override getMessages(): MessageData[] {
    return genkitCopy(this.#session.messages());
  }

  override addMessages(messages: MessageData[]): void {
    this.#session.addMessages(...ourMessages(messages));
  }

  override setMessages(messages: MessageData[]): void {
    this.#session.setMessages(ourMessages(messages));
  }

  override getCustom(): unknown {
    return this.#session.custom();
  }

  override updateCustom(update: (custom?: unknown) => unknown): void {
    this.#session.updateCustom((draft) => update(draft));
  }

  override getArtifacts(): GenkitArtifact[] {
    return genkitCopy(this.#session.artifacts());
  }

  override addArtifacts(artifacts: GenkitArtifact[]): void {
    this.#session.addArtifacts(...ourArtifacts(artifacts));
  }
}
