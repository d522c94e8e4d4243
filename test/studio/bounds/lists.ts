import type { SnapshotMeta } from "../../../studio/api/types.ts";
import { layOut } from "../../../studio/session/tree-layout.ts";
import { seedMany } from "../seed-many.ts";
import { kilobytes, rowsIn, took } from "./finding.ts";
import { answeredAt, inFreshPage, type Measurement, scroll, shownAt } from "./stage.ts";

const SESSIONS = 10_000;
const SPANS = 3000;
const NODES = 2000;

/** Ten thousand sessions, scrolled as by a wheel, and as by whoever drags the bar. */
export const sessions: Measurement = {
  prepare: async ({ demo }) => await seedMany(demo, SESSIONS),
  round: async (stage) =>
    await inFreshPage(stage, async (page) => {
      await page.goto(stage.demo.url("/agents/research/sessions"), { waitUntil: "commit" });
      const shown = await shownAt(page, `document.querySelector("[data-session]")`);
      const answered = await answeredAt(page, /\/sessions\?/);
      // To be put in that order, all of them have to be there.
      await page.goto(stage.demo.url("/agents/research/sessions?sort=created-asc"));
      await page.getByText(/^10\s000 found$/).waitFor({ timeout: 120_000 });
      const list = { box: "[role=grid]", rows: "[data-session]" };
      const slow = await scroll(page, { ...list, step: 20 * 40 });
      const fast = await scroll(page, { ...list, step: 80 * 40 });
      return [
        took("sessions, 10,000: first rows after their data", shown - answered, 300),
        took("sessions, 10,000: scroll of a screen a frame, p95", slow.p95, 32),
        took("sessions, 10,000: scroll of 80 rows a frame, p95", fast.p95, 32),
        rowsIn("sessions, 10,000: rows in the page", Math.max(slow.most, fast.most), 60),
      ];
    }),
};

/** A trace of three thousand spans. */
export const trace: Measurement = {
  prepare: async ({ demo }) => {
    await demo.planner.runText(`spans ${SPANS}`, { sessionId: "traced" });
  },
  round: async (stage) =>
    await inFreshPage(stage, async (page) => {
      const [found] = stage.demo.traces.list().filter(({ spans }) => spans.size > SPANS);
      const [answer] = await Promise.all([
        page.waitForResponse((response) => response.url().includes("view=light")),
        page.goto(stage.demo.url(`/traces/${found?.traceId}`)),
      ]);
      await page.getByRole("option").first().waitFor();
      const rows = "[data-span]";
      const { p95, most } = await scroll(page, { box: "[role=listbox]", rows, step: 20 * 28 });
      return [
        kilobytes("spans, 3,000: the light call", (await answer.body()).length, 300),
        rowsIn("spans, 3,000: rows in the page", most, 60),
        took("spans, 3,000: scroll of 20 rows a frame, p95", p95, 32),
      ];
    }),
};

/** The lanes of a session with a branch at every tenth snapshot. */
export const tree: Measurement = {
  round: async () => {
    const snapshots = Array.from({ length: NODES }, (_, index) => snapshotAt(index));
    const begun = performance.now();
    const { rows } = layOut(snapshots);
    const ended = performance.now();
    return [took(`snapshots, ${rows.length}: the lanes of their tree`, ended - begun, 20)];
  },
};

function snapshotAt(index: number): SnapshotMeta {
  const parent = index % 10 === 9 ? Math.floor(index / 2) : index - 1;
  return {
    snapshotId: `s${index}`,
    ...(index > 0 && { parentId: `s${parent}` }),
    event: "turn-end",
    createdAt: "2026-11-16T08:00:00.000Z",
    labels: [],
    isPinned: false,
  };
}
