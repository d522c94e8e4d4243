import { chooseSeed } from "../chaos/seeded-random.ts";
import { buildOnce } from "./build-once.ts";
import { BrowserForAll } from "./browser-for-all.ts";
import { closeRunFolder, openRunFolder } from "./run-folder.ts";
import { ResourceServer } from "./run-resources.ts";
import { reportMissing } from "./services-missing.ts";
import { type ServiceName, type StartedServices, startServices } from "./services-start.ts";

/** Vitest calls this once before all tests, and the function it returns once after them. */
export async function setup(): Promise<() => Promise<void>> {
  tellSeed();
  const folder = await openRunFolder();
  const services: StartedServices[] = [];
  const browser = new BrowserForAll();
  const urlOf = async (name: ServiceName): Promise<string> => {
    const started = await startServices([name]);
    services.push(started);
    reportMissing(started.missing);
    return started.running[name]?.url ?? "";
  };
  const resources = new ResourceServer({
    postgres: () => urlOf("postgres"),
    redis: () => urlOf("redis"),
    browser: () => browser.open(),
    build: async () => {
      await buildOnce();
      return "";
    },
  });
  await resources.open();
  return async () => {
    resources.close();
    await browser.close();
    await Promise.all(services.map(({ stop }) => stop()));
    closeRunFolder(folder);
  };
}

/** All chance of a run comes from one seed, so that its choices can be had again. */
function tellSeed(): void {
  const seed = String(chooseSeed(process.env["TURNKEEP_SEED"]));
  process.env["TURNKEEP_SEED"] = seed;
  console.log(`TURNKEEP_SEED=${seed} makes the same choices again.`);
}
