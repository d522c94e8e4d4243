import type { Demo } from "./demo.ts";

const TALKS: readonly (readonly [string, string, readonly string[]])[] = [
  ["refund-8812", "Refund for order 8812", ["hello", "what about Porto"]],
  ["winter-alps", "Winter in the Alps", ["snow in Davos"]],
  ["broken", "The night the model was away", ["hello", "fail now"]],
  [
    "drafts",
    "A plan in three drafts",
    [
      "write plan.md Alfama-on-foot The-river Belém",
      "hello",
      "write plan.md Alfama-by-tram The-river Belém Sintra",
      "write plan.md Alfama-by-tram Sintra",
    ],
  ],
  ["lisbon-files", "Papers for Lisbon", ["artifacts please"]],
];

/** Sessions of each kind: done, failed, waiting, branched, with artifacts, and one that runs. */
export async function seed({
  planner,
  research,
}: Demo): Promise<{ readonly runs: readonly Promise<unknown>[] }> {
  for (const [sessionId, title, texts] of TALKS) {
    for (const text of texts) await planner.runText(text, { sessionId });
    await planner.label(sessionId, { about: { title, tags: ["demo"] } });
  }
  await seedBranches(planner);
  const quantum = research.runText("slow quantum", { sessionId: "quantum-report" });
  const old = await research.runText("a quiet place in Rome", { sessionId: "rome" });
  await research.label("rome", { about: { title: "A quiet place in Rome" } });
  return { runs: [quantum.catch(() => {}), Promise.resolve(old)] };
}

async function seedBranches(planner: Demo["planner"]): Promise<void> {
  const sessionId = "lisbon";
  const { snapshotId: first = "" } = await planner.runText("somewhere quiet in Lisbon", {
    sessionId,
  });
  await planner.runText("and one with a garden in Sintra", { sessionId });
  await planner.runText("rather by the sea in Cascais", { snapshotId: first });
  const { snapshotId: third = "" } = await planner.runText("something cheap in Almada", {
    snapshotId: first,
  });
  await planner.runText("book it", { snapshotId: third });
  await planner.label(sessionId, { about: { title: "Trip to Lisbon in May", tags: ["vip"] } });
}
