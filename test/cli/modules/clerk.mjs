import { defineCustomAgent } from "turnkeep";
import { openSqliteStore } from "turnkeep/stores/sqlite";

const store = await openSqliteStore("shop.db");

/** Counts, and says so. */
export const agents = [
  defineCustomAgent({ name: "clerk", store }, async ({ session, respond }) => {
    await session.run(() => {
      const count = (session.custom()?.count ?? 0) + 1;
      session.setCustom({ count });
      respond.text(`Number ${count}.`);
      session.addMessages({ role: "model", content: [{ text: `Number ${count}.` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  }),
];
