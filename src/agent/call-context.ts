/** What is known of a call besides its input: who calls, above all. Handed to agents, transforms and tools. */
export interface CallContext {
  readonly auth?: unknown;
  readonly [key: string]: unknown;
}
