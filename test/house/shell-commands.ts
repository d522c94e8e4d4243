import { inlineCode } from "./markdown.ts";

// Of these, readers know what they do; the scripts that npm is told to run are looked at elsewhere.
const KNOWN = /^(?:git clone|npm (?:ci|install|run|start|test)|cd|grep|vitest)\b/;

/** Commands a reader is told to run that are not there, and options that `turnkeep` would refuse. */
export async function findUnknownCommands(
  markdown: string,
  helpOf: (command: string) => Promise<string | undefined>,
): Promise<string[]> {
  const inBlocks = [...markdown.matchAll(/^```sh\n([\s\S]*?)^```/gm)]
    .flatMap(([, block = ""]) => block.split("\n"))
    .map((line) => line.replace(/\s*#.*/, ""))
    .flatMap((line) => line.split(" && "))
    .filter((line) => line.trim() !== "");
  const inProse = inlineCode(markdown).filter((code) => /^(?:npx )?turnkeep [a-z]/.test(code));
  const commands = [...inBlocks, ...inProse].map((line) =>
    line.trim().replace(/^[A-Z_]+=\S+ /, ""),
  );
  const unknown = await Promise.all(commands.map((command) => complaintsOf(command, helpOf)));
  return [...new Set(unknown.flat())].toSorted();
}

async function complaintsOf(
  line: string,
  helpOf: (command: string) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const [first, command = "", ...rest] = line.replace(/^npx /, "").split(/\s+/);
  if (first !== "turnkeep") return KNOWN.test(line.replace(/^npx /, "")) ? [] : [line];
  if (command.startsWith("<")) return [];
  const help = await helpOf(command);
  if (help === undefined) return [`turnkeep ${command}`];
  const options = rest.filter((word) => word.startsWith("--"));
  const strange = options.filter((option) => !help.includes(`  ${option}`));
  const [action = ""] = rest;
  if (command === "sessions" && !action.startsWith("-") && !help.includes(`\n  ${action} `))
    strange.push(action);
  return strange.map((word) => `turnkeep ${command} ${word}`);
}
