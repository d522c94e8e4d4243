import { chooseSeed } from "../chaos/seeded-random.ts";
import { BrowserForAll } from "./browser-for-all.ts";
import { buildOnce } from "./build-once.ts";
import { Databases } from "./databases.ts";
import { packOnce } from "./pack-once.ts";
import { closeRunFolder, openRunFolder } from "./run-folder.ts";
import { ResourceServer } from "./run-resources.ts";
import { ServersForAll } from "./servers-for-all.ts";

/** Vitest calls this once before all tests, and the function it returns once after them. */
export async function setup(): Promise<() => Promise<void>> {
  tellSeed();
  const folder = await openRunFolder();
  const servers = new ServersForAll();
  const databases = new Databases();
  const browser = new BrowserForAll();
  const resources = new ResourceServer({
    postgres: async () => {
      const server = await servers.urlOf("postgres");
      return server === "" ? "" : await databases.create(server);
    },
    redis: () => servers.urlOf("redis"),
    browser: () => browser.open(),
    build: () => buildOnce(),
    package: () => packOnce(folder),
  });
  await resources.open();
  return async () => {
    try {
      resources.close();
      await browser.close();
      await databases.drop();
      await servers.stop();
      closeRunFolder(folder);
    } catch (error) {
      // Vitest prints it, and goes on as if nothing were.
      process.exitCode = 1;
      throw error;
    }
  };
}

/** All chance of a run comes from one seed, so that its choices can be had again. */
function tellSeed(): void {
  const seed = String(chooseSeed(process.env["TURNKEEP_SEED"]));
  process.env["TURNKEEP_SEED"] = seed;
  console.log(`TURNKEEP_SEED=${seed} makes the same choices again.`);
}
