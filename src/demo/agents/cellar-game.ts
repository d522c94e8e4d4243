export type RoomName = "stairs" | "cellar" | "wine" | "vault";

export interface Adventure {
  readonly room: RoomName;
  readonly bag: readonly string[];
  readonly lit: boolean;
  readonly moves: number;
  readonly won: boolean;
}

export const BEGINNING: Adventure = { room: "stairs", bag: [], lit: false, moves: 0, won: false };

interface Room {
  readonly sight: string;
  readonly ways: Readonly<Record<string, RoomName>>;
  readonly things: readonly string[];
  readonly isDark?: boolean;
}

export const ROOMS: Readonly<Record<RoomName, Room>> = {
  stairs: {
    sight: "You stand on the cellar stairs. It smells of old ledgers.",
    ways: { down: "cellar" },
    things: ["lamp"],
  },
  cellar: {
    sight: "A vaulted cellar. Shelves to the east, an iron door to the north.",
    ways: { up: "stairs", east: "wine", north: "vault" },
    things: [],
    isDark: true,
  },
  wine: {
    sight: "Bottles, each with a label: a date, and what was said on it.",
    ways: { west: "cellar" },
    things: ["key"],
    isDark: true,
  },
  vault: {
    sight: "The vault. On a plinth lies the book in which every turn is kept.",
    ways: { south: "cellar" },
    things: ["book"],
  },
};

interface Move {
  readonly next: Adventure;
  readonly words: string;
}

/** What comes of a command. Nothing is changed: the answer holds the new state. */
export function playMove(now: Adventure, command: string): Move {
  const words = command.toLowerCase().match(/[a-z]+/g) ?? [];
  const counted = { ...now, moves: now.moves + 1 };
  for (const play of [walk, take, light, look]) {
    const move = play(counted, words);
    if (move) return move;
  }
  return {
    next: counted,
    words: 'I understand "look", "go down", "take lamp", "light lamp" and the like.',
  };
}

type Play = (now: Adventure, words: readonly string[]) => Move | undefined;

const walk: Play = (now, words) => {
  const way = words.find((word) => WAYS.has(word));
  if (way === undefined) return undefined;
  const room = ROOMS[now.room].ways[way];
  if (room === undefined) return { next: now, words: `There is no way ${way} from here.` };
  if (room === "vault" && !now.bag.includes("key"))
    return { next: now, words: "The iron door is locked." };
  const next = { ...now, room };
  return { next, words: sightOf(next) };
};

const take: Play = (now, words) => {
  if (!words.includes("take") && !words.includes("get")) return undefined;
  const thing = thingsIn(now).find((one) => words.includes(one));
  if (thing === undefined) return { next: now, words: "You reach out and find nothing like that." };
  const next = { ...now, bag: [...now.bag, thing], won: now.won || thing === "book" };
  if (thing !== "book") return { next, words: `You have the ${thing} now.` };
  return {
    next,
    words: `You open the book. It says: "${now.moves} moves, all of them kept." You have won. Go back to any of them and try another way.`,
  };
};

const light: Play = (now, words) => {
  if (!words.includes("light")) return undefined;
  if (!now.bag.includes("lamp")) return { next: now, words: "You have nothing to light." };
  const next = { ...now, lit: true };
  return { next, words: `The lamp burns. ${sightOf(next)}` };
};

const look: Play = (now, words) =>
  words.some((word) => word === "look" || word === "hello" || word === "start")
    ? { next: now, words: sightOf(now) }
    : undefined;

const WAYS = new Set(["up", "down", "north", "south", "east", "west"]);

function sightOf(now: Adventure): string {
  if (isTooDark(now))
    return "It is too dark to see. You feel steps going up, and a draught from the east.";
  const { sight, ways } = ROOMS[now.room];
  const things = thingsIn(now).map((thing) => ` There is a ${thing} here.`);
  return `${sight}${things.join("")} Ways: ${Object.keys(ways).join(", ")}.`;
}

function thingsIn(now: Adventure): readonly string[] {
  if (isTooDark(now)) return [];
  return ROOMS[now.room].things.filter((thing) => !now.bag.includes(thing));
}

function isTooDark({ room, lit }: Adventure): boolean {
  return ROOMS[room].isDark === true && !lit;
}
