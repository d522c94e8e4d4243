const REFERENCE = /\{\{\s*([\w.-]+)\s*\}\}/;
const REFERENCES = new RegExp(REFERENCE, "g");
const WHOLE_REFERENCE = new RegExp(`^${REFERENCE.source}$`);

/** What a case has noted under names, for its later steps to say `{{name}}`. */
export class Captures {
  readonly #values = new Map<string, unknown>();

  set(name: string, value: unknown): void {
    this.#values.set(name, value);
  }

  /**
   * The same value with what its texts refer to. A text that is nothing but a reference becomes the captured value itself, whatever its type.
   *
   * @throws Error when nothing was captured under a name.
   */
  resolve<Value>(value: Value): Value {
    return this.#resolve(value) as Value;
  }

  #resolve(value: unknown): unknown {
    if (typeof value === "string") return this.#resolveText(value);
    if (Array.isArray(value)) return value.map((item) => this.#resolve(item));
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, this.#resolve(one)]));
  }

  #resolveText(text: string): unknown {
    const whole = WHOLE_REFERENCE.exec(text)?.[1];
    if (whole !== undefined) return this.#get(whole);
    return text.replace(REFERENCES, (_, name: string) => String(this.#get(name)));
  }

  #get(name: string): unknown {
    if (this.#values.has(name)) return this.#values.get(name);
    throw new Error(`Nothing was captured as ${JSON.stringify(name)}.`);
  }
}
