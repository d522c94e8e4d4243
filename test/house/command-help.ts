import { runCli } from "../../src/cli/run-cli.ts";

/** What `turnkeep <command> --help` says; nothing where there is no such command. */
export async function helpOf(command: string): Promise<string | undefined> {
  const lines: string[] = [];
  const code = await runCli([command, "--help"], {
    out: (line) => void lines.push(line),
    err: () => {},
    asksToStop: () => new Promise(() => {}),
    input: process.stdin,
    output: process.stdout,
    isInteractive: false,
    hasColours: false,
  });
  return code === 0 ? lines.join("\n") : undefined;
}
