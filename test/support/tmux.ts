import { execFile } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import process from "node:process";
import { promisify } from "node:util";
import { expect, type TestContext } from "vitest";
import { downloadDebianPackage, findLibraries } from "./services-debian.ts";
import { findOnPath } from "./services-programs.ts";
import { until } from "../agent/life/waiting.ts";

const run = promisify(execFile);

/** A terminal with a person before it. */
export interface Tmux {
  /** Types a line, and Enter. */
  readonly type: (line: string) => Promise<void>;
  /** Presses a key by tmux's name for it, such as `C-c`. */
  readonly press: (key: string) => Promise<void>;
  /** Resolves when the terminal shows it, so often as told. */
  readonly sees: (text: string, times?: number) => Promise<void>;
  /** All that was shown, line by line. */
  readonly transcript: () => Promise<string>;
  /** Resolves when this was written to the terminal, also if it was wiped off at once. */
  readonly wrote: (text: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens a terminal with a shell in it, or skips the test and says why. */
export async function openTmux(context: TestContext, cwd: string): Promise<Tmux> {
  const { program, environment } = await installedTmux().catch((error: unknown) => {
    console.warn(`SKIPPED "${context.task.name}": needs tmux (${String(error)})`);
    return context.skip("needs tmux");
  });
  const folder = mkdtempSync(join(tmpdir(), "turnkeep-tmux-"));
  const env = { ...process.env, ...environment, LC_ALL: "C.UTF-8", NO_COLOR: "" };
  const tmux = async (...args: readonly string[]): Promise<string> => {
    const socket = ["-u", "-f", "/dev/null", "-S", join(folder, "socket")];
    return (await run(program, [...socket, ...args], { env, cwd })).stdout;
  };
  await tmux("new-session", "-d", "-x", "150", "-y", "50", "-c", cwd, "sh");
  const log = join(folder, "written");
  writeFileSync(log, "");
  await tmux("pipe-pane", "-o", `cat >> '${log}'`);
  const transcript = (): Promise<string> => tmux("capture-pane", "-p", "-J", "-S", "-");
  return {
    type: async (line) => {
      await tmux("send-keys", "-l", line);
      await tmux("send-keys", "Enter");
    },
    press: async (key) => void (await tmux("send-keys", key)),
    transcript,
    sees: async (text, times = 1) => {
      let shown = "";
      const isShown = async (): Promise<boolean> => {
        shown = await transcript();
        return shown.split(text).length > times;
      };
      await until(isShown).catch(() =>
        expect.fail(`"${text}" was not shown ${times} times in:\n${shown}`),
      );
    },
    wrote: (text) =>
      until(() => readFileSync(log, "utf8").includes(text)).catch(() =>
        expect.fail(`"${text}" was not written in:\n${readFileSync(log, "utf8")}`),
      ),
    close: async () => {
      await tmux("kill-server").catch(() => {});
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

interface Program {
  readonly program: string;
  /** Added to the environment, when the program's libraries are not the system's. */
  readonly environment: NodeJS.ProcessEnv;
}

async function installedTmux(): Promise<Program> {
  const installed = findOnPath("tmux");
  if (installed !== undefined) return { program: installed, environment: {} };
  const cache = process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache");
  const directory = join(cache, "turnkeep", "tmux");
  if (!existsSync(directory)) await downloadDebianPackage("tmux", directory, {});
  const environment = { LD_LIBRARY_PATH: findLibraries(directory).join(":") };
  const program = join(directory, "usr/bin/tmux");
  await run(program, ["-V"], { env: { ...process.env, ...environment } });
  return { program, environment };
}
