import type { Task } from "./comparison.ts";
import { loadComparison } from "./comparisons.ts";
import type { Answer } from "./measure-apart.ts";

const REASON_CHARACTERS = 120;

// Measures one thing and says what it found.
const { name, task } = JSON.parse(process.argv[2] ?? "") as { name: string; task: Task };
let answer: Answer;
try {
  const { measure } = await loadComparison(name);
  answer = { sample: await measure(task) };
} catch (error) {
  const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
  answer = { error: line.slice(0, REASON_CHARACTERS) };
}
process.send?.(answer);
