/** Puts text into a colour, or leaves it as it is where there are none. */
export interface Paint {
  readonly bold: (text: string) => string;
  readonly dim: (text: string) => string;
  readonly red: (text: string) => string;
  readonly green: (text: string) => string;
  readonly yellow: (text: string) => string;
  readonly cyan: (text: string) => string;
}

const ESCAPE = "\u001B[";

export function paintFor({ hasColours }: { readonly hasColours: boolean }): Paint {
  const ink =
    (start: number, end: number) =>
    (text: string): string =>
      hasColours ? `${ESCAPE}${start}m${text}${ESCAPE}${end}m` : text;
  return {
    bold: ink(1, 22),
    dim: ink(2, 22),
    red: ink(31, 39),
    green: ink(32, 39),
    yellow: ink(33, 39),
    cyan: ink(36, 39),
  };
}
