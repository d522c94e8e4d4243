import { defineCustomAgent } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { crashtest } from "turnkeep/testing";

// Does a crash lose or double what tools do? The scenario runs again and again, with a process that dies at its first write, its second, and so on.
const done: string[] = [];

function defineShop(charge: "as a step" | "just so"): ReturnType<typeof defineCustomAgent> {
  return defineCustomAgent({ name: "shop" }, async ({ session }) => {
    await session.run(async (_, turn) => {
      const pay = (): string => `receipt ${done.push("charge")}`;
      // What is done as a step is written down before and after, so that nobody does it again.
      const receipt =
        charge === "just so" ? pay() : await turn.step({ name: "charge", input: 450 }, pay);
      session.addMessages({ role: "model", content: [{ text: receipt }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
}

for (const charge of ["as a step", "just so"] as const) {
  const report = await crashtest(defineShop(charge), {
    store: (clock) => new MemoryStore({ clock }),
    // A client that heard no answer asks again, with the same id.
    run: (agent) => agent.runText("Tea, please", { sessionId: "ada", requestId: "order-1" }),
    takeEffects: () => done.splice(0),
  });
  const doubled = report.rounds.filter((round) => round.doubled.length > 0);
  const undecided = report.rounds.filter((round) => round.undecided.length > 0);
  console.log(
    `${charge}: ${report.isSound ? "sound" : "not sound"}, ${doubled.length} doubled,`,
    undecided.length > 0 ? "some left to a person" : "none left to a person",
  );
}
