import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { ROOT } from "./house-copy.ts";

interface LockedPackage {
  readonly hasInstallScript?: boolean;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly optionalDependencies?: Readonly<Record<string, string>>;
}

interface Lockfile {
  readonly packages: Readonly<Record<string, LockedPackage>>;
}

/** Everything that a project gets by installing the package, by name. */
function installedWithUs({ packages }: Lockfile): ReadonlySet<string> {
  const found = new Set<string>();
  const visit = ({ dependencies, optionalDependencies }: LockedPackage): void => {
    for (const name of Object.keys({ ...dependencies, ...optionalDependencies })) {
      if (found.has(name)) continue;
      found.add(name);
      visit(packages[`node_modules/${name}`] ?? {});
    }
  };
  visit(packages[""] ?? {});
  return found;
}

test("SECURITY.md names exactly the dependencies that run an install script", () => {
  const lockfile = JSON.parse(readFileSync(join(ROOT, "package-lock.json"), "utf8")) as Lockfile;
  const withScript = [...installedWithUs(lockfile)].filter(
    (name) => lockfile.packages[`node_modules/${name}`]?.hasInstallScript === true,
  );
  const text = readFileSync(join(ROOT, "SECURITY.md"), "utf8");
  const section = /## Install scripts\n(?<body>[^#]*)/.exec(text)?.groups?.["body"] ?? "";
  const named = [...section.matchAll(/^- `(?<name>[^`]+)`/gm)].map(
    ({ groups }) => groups?.["name"],
  );
  expect(named).toEqual(withScript);
});
