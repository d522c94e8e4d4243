import { whenOver } from "../agent/life/leftovers.ts";
import { Databases } from "../support/databases.ts";
import { POSTGRES } from "./engines.ts";

/** A database of its own on the tests' server, gone when the tests are over. */
export async function freshDatabase(): Promise<string> {
  const databases = new Databases();
  whenOver(() => databases.drop());
  return await databases.create(POSTGRES.url);
}
