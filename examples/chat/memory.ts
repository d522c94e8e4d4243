import type { StateSchema } from "turnkeep";
import { z } from "zod";

/** What the companion keeps besides the words that were said. */
export interface Memory {
  mood: "curious" | "pleased" | "amused" | "thoughtful";
  name?: string | undefined;
  remembered: string[];
  jokesTold: number;
}

export const memorySchema: StateSchema<Memory> = z.object({
  mood: z.enum(["curious", "pleased", "amused", "thoughtful"]),
  name: z.string().optional(),
  remembered: z.array(z.string()),
  jokesTold: z.number().int(),
});

export const BLANK_MEMORY: Memory = { mood: "curious", remembered: [], jokesTold: 0 };
