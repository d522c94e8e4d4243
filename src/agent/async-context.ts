/**
 * @internal A value that belongs to a piece of work and everything it calls, across `await`. It rests on the runtime's
 * `AsyncLocalStorage`; where there is none (a browser), the value is there only until the work first waits.
 */
export class AsyncContext<Value> {
  readonly #storage: Storage<Value> = createStorage();

  /** Does the work with this value; inside it, an inner one hides an outer one. */
  run<Result>(value: Value, work: () => Result): Result {
    return this.#storage.run(value, work);
  }

  /** The value of the work that this call is part of. */
  get(): Value | undefined {
    return this.#storage.getStore();
  }
}

interface Storage<Value> {
  run<Result>(value: Value, work: () => Result): Result;
  getStore(): Value | undefined;
}

type StorageClass = new <Value>() => Storage<Value>;

function createStorage<Value>(): Storage<Value> {
  const Native = findNative();
  return Native === undefined ? new SynchronousStorage() : new Native();
}

// Asked for by name, since the room imports nothing of Node's.
function findNative(): StorageClass | undefined {
  const { process, AsyncLocalStorage } = globalThis as {
    process?: { getBuiltinModule?: (name: string) => AsyncHooks | undefined };
    AsyncLocalStorage?: StorageClass;
  };
  return process?.getBuiltinModule?.("node:async_hooks")?.AsyncLocalStorage ?? AsyncLocalStorage;
}

interface AsyncHooks {
  readonly AsyncLocalStorage?: StorageClass;
}

class SynchronousStorage<Value> implements Storage<Value> {
  #value: Value | undefined;

  run<Result>(value: Value, work: () => Result): Result {
    const outer = this.#value;
    this.#value = value;
    try {
      return work();
    } finally {
      this.#value = outer;
    }
  }

  getStore(): Value | undefined {
    return this.#value;
  }
}
