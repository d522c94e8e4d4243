/**
 * Resolves when an input is accepted, and knows whether anybody waits for that. Its rejection is never unhandled: where nobody waits for it, the connection
 * reports it.
 *
 * @internal
 */
export class SendReceipt extends Promise<void> {
  #isAwaited = false;

  constructor(settle: ConstructorParameters<typeof Promise<void>>[0]) {
    super(settle);
    super.catch(() => {});
    this.#isAwaited = false;
  }

  static override get [Symbol.species](): PromiseConstructor {
    return Promise;
  }

  /** Whether somebody has asked for the result. */
  get isAwaited(): boolean {
    return this.#isAwaited;
  }

  // oxlint-disable-next-line unicorn/no-thenable -- it is a promise, which is asked in no other way
  override then<Value = void, Caught = never>(
    resolved?: ((value: void) => Value | PromiseLike<Value>) | null,
    rejected?: ((reason: unknown) => Caught | PromiseLike<Caught>) | null,
  ): Promise<Value | Caught> {
    this.#isAwaited = true;
    return super.then(resolved, rejected);
  }
}
