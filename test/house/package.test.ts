import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ROOT } from "./house-copy.ts";
import { PackedPackage } from "./packed-package.ts";

const DOCUMENTS = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"];
const INSTALL_SCRIPTS = ["preinstall", "install", "postinstall", "prepare"];
const MOST_DEPENDENCIES = 3;
const NEED_PEERS = ["turnkeep/genkit", "turnkeep/react"];
// Its declarations speak of Node's own types.
const NEED_NODE_TYPES = ["turnkeep/node"];
const RESOLUTIONS = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" },
];

const STUDIO = "dist/studio/app/";

describe("the published package", () => {
  let packed: PackedPackage;

  beforeAll(() => {
    packed = new PackedPackage();
  });
  afterAll(() => packed.remove());

  test("holds the built files, their sources, and a few documents", () => {
    const files = packed.files();
    const others = files.filter((file) => !/^(dist|src)\//.test(file));
    expect(DOCUMENTS).toEqual(expect.arrayContaining(others));
    expect(files).toEqual(expect.arrayContaining(["LICENSE", "package.json"]));
    expect(files.filter((file) => /\.(test|test-d|bench)\./.test(file))).toEqual([]);
  });

  test("has a built file for every source, and no other", () => {
    const files = packed.files();
    const sources = files.filter((file) => file.startsWith("src/"));
    const expected = sources.flatMap((source) =>
      [".js", ".js.map", ".d.ts", ".d.ts.map"].map((ending) =>
        source.replace(/^src/, "dist").replace(/\.ts$/, ending),
      ),
    );
    const built = files.filter((file) => file.startsWith("dist/") && !file.startsWith(STUDIO));
    expect(built.toSorted()).toEqual(expected.toSorted());
  });

  test("has the Studio's page and its files, and no maps of them", () => {
    const files = packed.files().filter((file) => file.startsWith(STUDIO));
    expect(files).toContain(`${STUDIO}index.html`);
    expect(files.filter((file) => !/\.(?:html|js|css)$/.test(file))).toEqual([]);
  });

  test("runs nothing when it is installed", () => {
    const scripts = Object.keys(packed.manifest.scripts ?? {});
    expect(scripts.filter((script) => INSTALL_SCRIPTS.includes(script))).toEqual([]);
  });

  test(`brings at most ${MOST_DEPENDENCIES} packages along`, () => {
    expect(packed.runtimeDependencies().length).toBeLessThanOrEqual(MOST_DEPENDENCIES);
    const { peerDependencies = {}, peerDependenciesMeta = {} } = packed.manifest;
    const demanded = Object.keys(peerDependencies).filter(
      (name) => peerDependenciesMeta[name]?.optional !== true,
    );
    expect(demanded).toEqual([]);
  });

  test("exports only files that exist", () => {
    const targets = Object.values(packed.manifest.exports).flatMap((target) =>
      typeof target === "string" ? [target] : Object.values(target),
    );
    expect(targets.filter((target) => !existsSync(join(packed.home, target)))).toEqual([]);
  });

  test("can be imported by plain Node, subpath by subpath, with no optional package there", () => {
    importAll(packed, freeNames(packed));
  });

  test.each(RESOLUTIONS)(
    "type-checks for TypeScript 5.9 users under $moduleResolution",
    (resolution) => {
      const names = freeNames(packed).filter((name) => !NEED_NODE_TYPES.includes(name));
      expect(typeCheck(packed, names, { ...resolution, skipLibCheck: false })).toBe("");
    },
  );
});

describe("the published package beside Genkit and React", () => {
  let packed: PackedPackage;

  beforeAll(() => {
    packed = new PackedPackage();
    packed.linkPeers();
  });
  afterAll(() => packed.remove());

  test("can be imported by plain Node, subpath by subpath", () => {
    importAll(packed, packed.importNames());
  });

  // Genkit's own declarations do not compile without Node's types.
  test.each(RESOLUTIONS)(
    "type-checks for TypeScript 5.9 users under $moduleResolution",
    (resolution) => {
      const names = packed.importNames();
      expect(typeCheck(packed, names, { ...resolution, skipLibCheck: true })).toBe("");
    },
  );
});

function freeNames(packed: PackedPackage): readonly string[] {
  return packed.importNames().filter((name) => !NEED_PEERS.includes(name));
}

function importAll(packed: PackedPackage, names: readonly string[]): void {
  const program = `
    for (const name of ${JSON.stringify(names)}) {
      if (!import.meta.resolve(name).includes("/dist/")) throw new Error(name + " is not built");
      if (Object.keys(await import(name)).length === 0) throw new Error(name + " is empty");
    }
  `;
  const options = { cwd: packed.project, stdio: "pipe" } as const;
  execFileSync(process.execPath, ["--input-type=module", "--eval", program], options);
}

/** Compiles one file per subpath, declarations included, in a project without Node's types. */
function typeCheck(
  packed: PackedPackage,
  names: readonly string[],
  more: Readonly<Record<string, string | boolean>>,
): string {
  const files = names.map((name, index) => {
    const file = `consumer-${index}.ts`;
    const code = `import * as subject from "${name}";\nexport const seen: object = subject;\n`;
    writeFileSync(join(packed.project, file), code);
    return file;
  });
  const compilerOptions = {
    ...more,
    target: "es2022",
    lib: ["es2022", "dom", "dom.asynciterable"],
    types: [],
    strict: true,
    noEmit: true,
  };
  writeFileSync(join(packed.project, "package.json"), `{ "type": "module" }`);
  writeFileSync(join(packed.project, "tsconfig.json"), JSON.stringify({ compilerOptions, files }));
  const compiler = join(ROOT, "node_modules", "typescript59", "bin", "tsc");
  const options = { cwd: packed.project, encoding: "utf8" } as const;
  const { stdout, stderr } = spawnSync(process.execPath, [compiler], options);
  return stdout + stderr;
}
