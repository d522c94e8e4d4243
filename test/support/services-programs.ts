import { existsSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";

/** The full path of a program that the shell would find, if there is one. */
export function findOnPath(program: string): string | undefined {
  const name = process.platform === "win32" ? `${program}.exe` : program;
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((directory) => join(directory, name))
    .find((file) => existsSync(file));
}

/** Whether a user without any rights of its own can walk down to `path`. */
export function isReachableByAnyone(path: string): boolean {
  const parent = dirname(path);
  const open = (statSync(path).mode & 0o005) === 0o005;
  return open && (parent === path || isReachableByAnyone(parent));
}
