import { TurnkeepError } from "./turnkeep-error.ts";

/** What names wrong ones stand for, where it is not the nearest. */
export type Hints = Readonly<Record<string, string>>;

/** The names that are known in one place. */
export interface KnownNames {
  /** What they are the names of, such as `option`. */
  readonly kind: string;
  readonly names: readonly string[];
  readonly hints?: Hints | undefined;
}

const SHOWN = /^[\w$.-]{1,64}$/;

/** The error for a name that is not known: an option, a field, a policy. It says which one was probably meant, or which there are. */
export function unknownName(name: string, { kind, names, hints = {} }: KnownNames): TurnkeepError {
  // What cannot be a misspelt name is not repeated: errors are logged and shown.
  const shown = SHOWN.test(name) ? ` \`${name}\`` : "";
  const meant = Object.hasOwn(hints, name) ? hints[name] : nearestName(name, names);
  const advice =
    meant === undefined ? `Expected one of ${listed(names)}.` : `Did you mean \`${meant}\`?`;
  return new TurnkeepError("INVALID_ARGUMENT", `Unknown ${kind}${shown}. ${advice}`, {
    details: { ...(shown !== "" && { name }), ...(meant !== undefined && { nearest: meant }) },
  });
}

/**
 * Refuses members that are not known; one that is `undefined` counts as absent.
 *
 * @throws TurnkeepError INVALID_ARGUMENT.
 */
export function checkNames(members: object, known: KnownNames): void {
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && !known.names.includes(name)) throw unknownName(name, known);
  }
}

/** The known name that differs least, if it differs by little. */
function nearestName(name: string, known: readonly string[]): string | undefined {
  const most = Math.max(1, Math.min(3, Math.floor(name.length / 3)));
  let nearest: string | undefined;
  let least = most + 1;
  for (const candidate of known) {
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const distance = editDistance(name.toLowerCase(), candidate.toLowerCase());
    if (distance < least) [nearest, least] = [candidate, distance];
  }
  return nearest;
}

// How many letters must be added, removed, changed or swapped with their neighbour; one row of the table at a time.
function editDistance(from: string, to: string): number {
  let earlier: readonly number[] = [];
  let above = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let line = 1; line <= from.length; line += 1) {
    const row = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[line - 1] === to[column - 1];
      const isSwapped = from[line - 1] === to[column - 2] && from[line - 2] === to[column - 1];
      row.push(
        Math.min(
          at(above, column - 1) + (isSame ? 0 : 1),
          at(above, column) + 1,
          at(row, column - 1) + 1,
          isSwapped ? at(earlier, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    [earlier, above] = [above, row];
  }
  return at(above, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Number.POSITIVE_INFINITY;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
