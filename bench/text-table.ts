/** Columns of text, numbers to the right. The first line is the heading. */
export function textTable(lines: readonly (readonly string[])[]): string {
  const widths = (lines[0] ?? []).map((_, column) =>
    Math.max(...lines.map((line) => line[column]?.length ?? 0)),
  );
  return lines
    .map((line) => line.map((cell, column) => aligned(cell, widths[column])).join("  "))
    .join("\n");
}

function aligned(cell: string, width = 0): string {
  return /^[a-z]/i.test(cell) ? cell.padEnd(width) : cell.padStart(width);
}
