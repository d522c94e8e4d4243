import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { build } from "vite";
import type { Contender } from "../contenders/contender.ts";
import { loadContender } from "../contenders/contenders.ts";
import type { Comparison, Sample, Task } from "./comparison.ts";
import { installedBytes } from "./installed-bytes.ts";
import { folderOf } from "./installed-versions.ts";

/** What one has to carry. */
export const comparison: Comparison = {
  name: "size",
  title: "What is installed, what importing it costs a fresh process, and what a page loads.",
  sizes: [1],
  metrics: [
    { name: "megabytes", label: "installed, MB", better: "less" },
    { name: "packages", label: "packages", better: "less" },
    { name: "dependencies", label: "dependencies of its own", better: "less" },
    { name: "importMs", label: "import, ms", better: "less" },
    { name: "importCpuMs", label: "CPU of a process that imports it, ms", better: "less" },
    { name: "clientKb", label: "client in a page, kB gzip", better: "less" },
  ],
  repetitions: 3,
  secondsEach: 120,
  measure,
};

async function measure({ subject }: Task): Promise<Sample> {
  const contender = await loadContender(subject.contender);
  const folder = folderOf(contender);
  const { bytes, packages, dependencies } = installedBytes(folder, contender.packages);
  const clientKb = contender.client && (await bundledKb(folder, contender.client));
  return {
    megabytes: bytes / 1e6,
    packages,
    dependencies,
    ...importCosts(folder, contender.imports),
    ...(clientKb !== undefined && { clientKb }),
  };
}

// In plain Node: what runs the benchmarks has been loaded into this process already.
function importCosts(folder: string, imports: readonly string[]): Sample {
  const code = `const begin = performance.now();
    for (const name of ${JSON.stringify(imports)}) await import(name);
    const importMs = performance.now() - begin;
    const { user, system } = process.cpuUsage();
    process.stdout.write(JSON.stringify({ importMs, importCpuMs: (user + system) / 1000 }));
    process.exit(0);`;
  const output = execFileSync(process.execPath, ["--input-type=module", "--eval", code], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "" },
  });
  return JSON.parse(output) as Sample;
}

async function bundledKb(
  folder: string,
  { from, name }: NonNullable<Contender["client"]>,
): Promise<number> {
  // A file that is not there, so that packages are found as they are from there.
  const entry = join(folder, "client-entry.js");
  const result = await build({
    configFile: false,
    logLevel: "silent",
    root: folder,
    plugins: [
      {
        name: "client",
        resolveId: (id) => (id === entry ? id : undefined),
        load: (id) =>
          id === entry ? `export { ${name} } from ${JSON.stringify(from)};` : undefined,
      },
    ],
    build: {
      write: false,
      modulePreload: false,
      rolldownOptions: { input: entry, preserveEntrySignatures: "strict" },
    },
  });
  const outputs = (Array.isArray(result) ? result : [result]).flatMap((one) =>
    "output" in one ? one.output : [],
  );
  const code = outputs.map((one) => (one.type === "chunk" ? one.code : "")).join("");
  return gzipSync(code).length / 1000;
}
