import { expect, it } from "vitest";
import { traceCalls } from "../../support/strace.ts";
import { temporaryFile } from "./temporary-file.ts";

const CHILD = new URL("child.ts", import.meta.url);
const COMMITS = 20;

it("waits for the log on the disk before it answers", async (context) => {
  const path = temporaryFile();
  const calls = await traceCalls(context, CHILD, ["acknowledge", path, String(COMMITS)]);
  let before = 0;
  for (let number = 1; number <= COMMITS; number += 1) {
    const answer = calls.find(({ text }) => text.includes(`"acknowledged ${number}\\n"`));
    expect(answer).toBeDefined();
    const since = calls.filter(
      ({ text, begin }) =>
        text.includes(`<${path}-wal>`) && begin > before && begin < (answer?.begin ?? 0),
    );
    const written = since.filter(({ name }) => name === "pwrite64").at(-1);
    const synced = since.filter(({ name }) => /^f(data)?sync$/.test(name)).at(-1);
    expect(written, `commit ${number} writes`).toBeDefined();
    expect(synced?.begin, `commit ${number} waits`).toBeGreaterThan(written?.end ?? Infinity);
    expect(synced?.end).toBeLessThan(answer?.begin ?? 0);
    before = answer?.end ?? 0;
  }
});
