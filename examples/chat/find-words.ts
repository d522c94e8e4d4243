import type { Memory } from "./memory.ts";

/** What to answer; whatever is worth keeping goes into the memory. It stands where a model would. */
export function findWords(said: string, memory: Memory): string {
  for (const { when, answer } of HABITS) {
    const match = when.exec(said);
    if (match) return answer(memory, match);
  }
  memory.mood = "curious";
  return `"${said}". I have no words of my own for that. Ask me what I know, for a joke, or for a story.`;
}

interface Habit {
  readonly when: RegExp;
  readonly answer: (memory: Memory, match: RegExpExecArray) => string;
}

const HABITS: readonly Habit[] = [
  {
    when: /\bmy name is (\p{L}[\p{L}'-]*)/iu,
    answer: (memory, [, name = ""]) => {
      const isNew = memory.name !== name;
      memory.mood = "pleased";
      memory.name = name;
      return isNew ? `${name}. I shall not forget it.` : `I know, ${name}. I kept it.`;
    },
  },
  {
    when: /^(?:please )?remember (?:that )?(.+?)[.!]?$/iu,
    answer: (memory, [, thing = ""]) => {
      memory.mood = "pleased";
      if (!memory.remembered.includes(thing)) memory.remembered.push(thing);
      return `Kept: ${thing}.`;
    },
  },
  {
    when: /what do you (?:know|remember)/i,
    answer: ({ name, mood, remembered }) => {
      const things = remembered.length === 0 ? "nothing else yet" : remembered.join("; ");
      return `Your name is ${name ?? "still a secret"}. You told me: ${things}. And I am ${mood}.`;
    },
  },
  {
    when: /(-?\d+(?:\.\d+)?)\s*([-+*x×/])\s*(-?\d+(?:\.\d+)?)/i,
    answer: (memory, [sum, left, sign = "+", right]) => {
      memory.mood = "thoughtful";
      const result = SUMS[sign.toLowerCase()]?.(Number(left), Number(right)) ?? Number.NaN;
      if (!Number.isFinite(result)) return `${sum}? Nobody has come back from there.`;
      return `${sum} is ${Number(result.toPrecision(12))}. I counted twice.`;
    },
  },
  {
    when: /\bjoke\b/i,
    answer: (memory) => {
      const joke = JOKES[memory.jokesTold % JOKES.length] ?? "";
      memory.mood = "amused";
      memory.jokesTold += 1;
      return joke;
    },
  },
  {
    when: /\bstory\b/i,
    answer: (memory) => {
      memory.mood = "thoughtful";
      return STORY;
    },
  },
  {
    when: /^(?:hi|hello|hey|good \w+)\b/i,
    answer: ({ name }) => `Hello${name === undefined ? "" : `, ${name}`}. What shall I keep?`,
  },
  {
    when: /how are you/i,
    answer: ({ mood }) => `I am ${mood}, and that is written down as well.`,
  },
];

const SUMS: Readonly<Record<string, (left: number, right: number) => number>> = {
  "+": (left, right) => left + right,
  "-": (left, right) => left - right,
  "*": (left, right) => left * right,
  x: (left, right) => left * right,
  "×": (left, right) => left * right,
  "/": (left, right) => left / right,
};

const JOKES: readonly string[] = [
  "Two turns walk into a session. One of them has to wait outside.",
  "I would tell you one about kill -9, but somebody else would have to finish it.",
  "Why did the snapshot never argue? It could always go back.",
];

const STORY =
  "Once there was a librarian who never threw a page away. When the roof leaked, she moved the pages; when the " +
  "town forgot its own name, she read it to them. People laughed at the long shelves until the flood came, and " +
  "everything else was gone. They stood before her door, wet and nameless, and asked who they had been. She made " +
  "tea first. Then she began at page one. The end, which is also kept.";
