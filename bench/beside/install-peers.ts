import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { PEERS_FOLDER } from "./installed-versions.ts";

/** Installs the peers into their own package, unless they are there in the versions it names. What cannot be had is missing in the tables. */
export async function installPeers(tell: (progress: string) => void): Promise<void> {
  if (arePeersInstalled()) return;
  tell(`Installing the peers into ${PEERS_FOLDER}; one of them may have to be compiled.`);
  // npm speaks to people, on the same channel as we do.
  const options = { cwd: PEERS_FOLDER, stdio: ["ignore", 2, 2] as ("ignore" | number)[] };
  const [code] = (await once(spawn("npm", ["ci"], options), "exit")) as [number | null];
  if (code !== 0) tell(`npm ended with ${code}: peers may be missing.`);
}

function arePeersInstalled(): boolean {
  const manifest = readFileSync(join(PEERS_FOLDER, "package.json"), "utf8");
  const { dependencies } = JSON.parse(manifest) as { dependencies: Record<string, string> };
  return Object.entries(dependencies).every(([name, version]) => {
    const file = join(PEERS_FOLDER, "node_modules", name, "package.json");
    if (!existsSync(file)) return false;
    return (JSON.parse(readFileSync(file, "utf8")) as { version: string }).version === version;
  });
}
