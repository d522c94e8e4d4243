// No way up, no way around: a name is one segment as it stands.
const SEGMENT = "(?!\\.{1,2}(?:/|$))[^/?#%\\\\\\s]+";

/** URIs, in which `{name}` stands for one segment. */
export class UriList {
  readonly #patterns: readonly RegExp[];

  constructor(uris: readonly string[]) {
    this.#patterns = uris.map(patternOf);
  }

  includes(uri: string): boolean {
    return this.#patterns.some((pattern) => pattern.test(uri));
  }
}

function patternOf(uri: string): RegExp {
  const literals = uri.split(/\{[^{}]*\}/).map(escaped);
  return new RegExp(`^${literals.join(SEGMENT)}$`);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/]/g, String.raw`\$&`);
}
