import { TurnkeepError } from "./turnkeep-error.ts";

const SHOWN = /^[\w$.-]{1,64}$/;

/**
 * The error for a name that is not known: an option, a field, a policy. It says which one was probably meant, or which there are.
 *
 * @param kind what the name stands for, such as `option`.
 */
export function unknownName(kind: string, name: string, known: readonly string[]): TurnkeepError {
  // What cannot be a misspelt name is not repeated: errors are logged and shown.
  const shown = SHOWN.test(name) ? ` \`${name}\`` : "";
  const meant = nearestName(name, known);
  const advice =
    meant === undefined ? `Expected one of ${listed(known)}.` : `Did you mean \`${meant}\`?`;
  return new TurnkeepError("INVALID_ARGUMENT", `Unknown ${kind}${shown}. ${advice}`, {
    details: { ...(shown !== "" && { name }), ...(meant !== undefined && { nearest: meant }) },
  });
}

/**
 * Refuses members that are not known; one that is `undefined` counts as absent.
 *
 * @throws TurnkeepError INVALID_ARGUMENT.
 */
export function checkNames(kind: string, members: object, known: readonly string[]): void {
  for (const [name, value] of Object.entries(members)) {
    if (value !== undefined && !known.includes(name)) throw unknownName(kind, name, known);
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

// How many letters must be added, removed or changed; by Wagner and Fischer, one row of their table at a time.
function editDistance(from: string, to: string): number {
  let row = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let line = 1; line <= from.length; line += 1) {
    const next = [line];
    for (let column = 1; column <= to.length; column += 1) {
      const isSame = from[line - 1] === to[column - 1];
      const changed = (row[column - 1] ?? 0) + (isSame ? 0 : 1);
      next.push(Math.min(changed, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[to.length] ?? 0;
}

function listed(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}
