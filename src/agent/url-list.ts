import { TurnkeepError } from "../protocol/index.ts";

const SCHEME = /^[a-z][a-z0-9+.-]*:$/i;
// Some servers take them for slashes, and so lead out of the folder.
const ENCODED_SLASH = /%2f|%5c/i;

/** Schemes, and addresses that others may lie under. */
export class UrlList {
  readonly #schemes: readonly string[];
  readonly #folders: readonly URL[];

  /** @throws TurnkeepError INVALID_ARGUMENT for an entry that is neither. */
  constructor(option: string, entries: readonly string[]) {
    this.#schemes = entries.filter((entry) => SCHEME.test(entry)).map((one) => one.toLowerCase());
    this.#folders = entries
      .filter((entry) => !SCHEME.test(entry))
      .map((entry) => folderOf(option, entry));
  }

  includes(url: string): boolean {
    // Not parsed: a data: URL is as long as what it holds.
    const isListed = this.#schemes.some((one) => url.slice(0, one.length).toLowerCase() === one);
    return isListed || (this.#folders.length > 0 && this.#isBelow(url));
  }

  #isBelow(url: string): boolean {
    const parsed = URL.canParse(url) ? new URL(url) : undefined;
    if (parsed === undefined || parsed.username !== "" || parsed.password !== "") return false;
    const { protocol, host, pathname } = parsed;
    if (ENCODED_SLASH.test(pathname)) return false;
    return this.#folders.some(
      (folder) =>
        folder.protocol === protocol &&
        folder.host === host &&
        (pathname === folder.pathname || pathname.startsWith(withSlash(folder.pathname))),
    );
  }
}

function withSlash(path: string): string {
  return path.endsWith("/") ? path : `${path}/`;
}

function folderOf(option: string, entry: string): URL {
  const url = URL.canParse(entry) ? new URL(entry) : undefined;
  if (url && url.host !== "" && url.search === "" && url.hash === "") return url;
  throw new TurnkeepError(
    "INVALID_ARGUMENT",
    `'${option}' has '${entry}', which is neither a scheme, such as https:, nor an address, such as https://files.example/uploads/.`,
  );
}
