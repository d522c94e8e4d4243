import { isJsonArray, isJsonObject } from "../json-kind.ts";
import type { Json } from "../json.ts";
import { ownMember, setOwnMember } from "../own-member.ts";
import { findArrayIndex } from "./json-pointer.ts";
import { refusePatch } from "./refuse-patch.ts";

type Container = Json[] | { [key: string]: Json | undefined };

const MISSING = "a pointer leads to nothing in the document";

/** A document being patched. Copies what lies on the way to a change, once, and shares everything else. */
export class PatchDraft {
  #document: Json;
  // Containers made by this draft, seen by nobody else: these may be changed in place.
  readonly #owned = new Set<object>();
  readonly #count: (value: Json) => void;

  /** `count` sees every value before it is added, and may refuse it. */
  constructor(document: Json, count: (value: Json) => void = () => {}) {
    this.#document = document;
    this.#count = count;
  }

  get document(): Json {
    return this.#document;
  }

  /** The value at the place; refuses the patch where there is none. */
  get(tokens: readonly string[]): Json {
    let value: Json | undefined = this.#document;
    for (const token of tokens) value = memberOf(value, token);
    if (value === undefined) refusePatch(MISSING);
    return value;
  }

  /** Inserts into an array, or sets a member. */
  add(tokens: readonly string[], value: Json): void {
    this.#count(value);
    this.#insert(tokens, value);
  }

  #insert(tokens: readonly string[], value: Json): void {
    const [parent, token] = this.#open(tokens);
    if (parent === undefined) this.#document = value;
    else if (Array.isArray(parent)) parent.splice(insertionIndex(parent, token), 0, value);
    else setOwnMember(parent, token, value);
  }

  /** Puts a value where there is one already. */
  replace(tokens: readonly string[], value: Json): void {
    this.#count(value);
    this.get(tokens);
    const [parent, token] = this.#open(tokens);
    if (parent === undefined) this.#document = value;
    else setMember(parent, token, value);
  }

  /** Takes away a value that is there. */
  remove(tokens: readonly string[]): void {
    this.get(tokens);
    const [parent, token] = this.#open(tokens);
    if (parent === undefined) refusePatch("the whole document cannot be removed");
    if (Array.isArray(parent)) parent.splice(Number(token), 1);
    else delete parent[token];
  }

  /** Takes a value from one place to another, which is not inside it. */
  move(from: readonly string[], to: readonly string[]): void {
    const value = this.get(from);
    this.remove(from);
    this.#insert(to, value);
  }

  /** Copies a value to another place. Both places hold the same value until one of them changes. */
  copy(from: readonly string[], to: readonly string[]): void {
    const value = this.get(from);
    // What is reachable from two places must not be changed in place any more.
    this.#owned.clear();
    this.add(to, value);
  }

  /** The container to change and the token in it, everything above it made writable; no container for the whole document. */
  #open(tokens: readonly string[]): readonly [Container | undefined, string] {
    const last = tokens.at(-1);
    if (last === undefined) return [undefined, ""];
    let parent = this.#writable(this.#document);
    this.#document = parent;
    for (const token of tokens.slice(0, -1)) {
      const child = this.#writable(memberOf(parent, token));
      setMember(parent, token, child);
      parent = child;
    }
    return [parent, last];
  }

  #writable(value: Json | undefined): Container {
    if (!isJsonArray(value) && !isJsonObject(value)) return refusePatch(MISSING);
    if (this.#owned.has(value)) return value as Container;
    const copy: Container = isJsonArray(value) ? [...value] : { ...value };
    this.#owned.add(copy);
    return copy;
  }
}

function memberOf(container: Json | undefined, token: string): Json | undefined {
  if (isJsonObject(container)) return ownMember(container, token);
  const index = findArrayIndex(token);
  return isJsonArray(container) && index !== undefined ? container[index] : undefined;
}

function setMember(container: Container, token: string, value: Json): void {
  if (Array.isArray(container)) container[Number(token)] = value;
  else setOwnMember(container, token, value);
}

function insertionIndex(array: readonly Json[], token: string): number {
  const index = token === "-" ? array.length : findArrayIndex(token);
  if (index === undefined || index > array.length) {
    return refusePatch("an array takes a new item only at an index up to its length, or at -");
  }
  return index;
}
