import { dirname, join } from "node:path";
import { ignoreFailure, isGone } from "./disk.ts";
import { generationName, type Place, type StoreFolder } from "./store-folder.ts";

/** The file in a generation being prepared that, linked into the one before, puts it in force. */
export const SEAL = "seal";

/**
 * Puts the generation that a seal names in its place. Anybody who meets the seal may do it, and it happens once: the name it is moved
 * from is never used again.
 */
export async function install(folder: StoreFolder, before: Place, id: string): Promise<Place> {
  const number = before.number + 1;
  const generation = join(before.life, generationName(number, id));
  // Gone when somebody else was faster.
  if (!folder.isThere(generation))
    await isGone(folder.disk.rename(folder.temporaryOf(id), generation));
  return { life: before.life, generation, number };
}

/** Takes everything of a session away that ended. The name can be used again as soon as the life is out of it. */
export async function retireLife(folder: StoreFolder, life: string): Promise<void> {
  const dead = await moveAway(folder, life);
  await ignoreFailure(folder.disk.removeFolder(dirname(life)));
  if (dead !== undefined) await ignoreFailure(folder.disk.removeTree(dead));
}

/**
 * Removes a folder that is over. It loses its name first and its files after: a writer that slept holds on to a path that leads
 * nowhere, and never to a folder with gaps.
 */
export async function bury(folder: StoreFolder, path: string): Promise<void> {
  const dead = await moveAway(folder, path);
  if (dead !== undefined) await ignoreFailure(folder.disk.removeTree(dead));
}

async function moveAway(folder: StoreFolder, path: string): Promise<string | undefined> {
  const dead = folder.newDead();
  return (await isGone(folder.disk.rename(path, dead))) ? undefined : dead;
}
