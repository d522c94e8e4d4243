import { defineCustomAgent } from "turnkeep";
import { ownerOf } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";

// How long things are kept, and how everything that is known of one person is erased.
const DAY = 24 * 3_600_000;

const notes = defineCustomAgent(
  {
    name: "notes",
    store: new MemoryStore(),
    retention: {
      // Events, inputs and steps of a run after it ended: as long as a reader may come back for them.
      endedRunsMs: 7 * DAY,
      // A snapshot goes when both rules let it go; heads, branch points, labels and open approvals stay.
      snapshots: { keepLast: 50, olderThanMs: 90 * DAY },
    },
  },
  async ({ session }) => {
    await session.run(() => {
      session.addMessages({ role: "model", content: [{ text: "Noted." }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

/** Erases every session of one person, with all snapshots, events and artifacts under it. */
async function erase(owner: string): Promise<number> {
  let erased = 0;
  for (;;) {
    const { sessions } = await notes.listSessions({ tenant: owner, limit: 100 });
    if (sessions.length === 0) return erased;
    for (const { sessionId } of sessions) {
      await notes.deleteSession(sessionId, { tenant: owner });
      erased += 1;
    }
  }
}

// Over HTTP sessions are their principal's own. In process, this is the tenant they are kept under.
const ada = ownerOf({ tenant: "acme", principal: "ada" });
const bob = ownerOf({ tenant: "acme", principal: "bob" });

await notes.runText("Tea at four.", { sessionId: "monday", tenant: ada });
await notes.runText("Lemons.", { sessionId: "tuesday", tenant: ada });
await notes.runText("Milk.", { sessionId: "monday", tenant: bob });

console.log(`erased ${await erase(ada)} sessions of ada's`);
const { sessions } = await notes.listSessions({ tenant: bob });
console.log(`bob still has ${sessions.map(({ sessionId }) => sessionId).join()}`);
await notes.close();
