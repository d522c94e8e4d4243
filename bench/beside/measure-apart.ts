import { fork } from "node:child_process";
import type { Sample, Task } from "./comparison.ts";

/** What the process says, once. */
export type Answer = { readonly sample: Sample } | { readonly error: string };

const FILE = new URL("measure-process.ts", import.meta.url);
const COMPLAINT_CHARACTERS = 300;

/**
 * Measures in a process of its own, so that no contender finds the heap, or the compiled code, that another one left.
 *
 * @throws Error when it fails, or takes longer than it may.
 */
export async function measureApart(name: string, task: Task, seconds: number): Promise<Sample> {
  const child = fork(FILE, [JSON.stringify({ name, task })], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
    execArgv: ["--import", import.meta.resolve("tsx")],
    env: { ...process.env, NODE_ENV: "production" },
  });
  let complaint = "";
  child.stderr?.on("data", (piece: Buffer) => {
    complaint = `${complaint}${piece.toString()}`.slice(-COMPLAINT_CHARACTERS);
  });
  return await new Promise<Sample>((resolve, reject) => {
    const timer = setTimeout(() => {
      reject(new Error(`gave up after ${seconds} s`));
      child.kill("SIGKILL");
    }, seconds * 1000);
    child.on("message", (answer: Answer) => {
      if ("sample" in answer) resolve(answer.sample);
      else reject(new Error(answer.error));
      child.kill("SIGKILL");
    });
    child.on("exit", (code) => {
      clearTimeout(timer);
      reject(new Error(`ended with ${code}: ${complaint.trim().split("\n").at(-1)}`));
    });
  });
}
