import { defineCustomAgent, type SessionStore } from "turnkeep";

/** Has a short talk that is kept in the store, and says what its writes survive. */
export async function talkOver(store: SessionStore): Promise<void> {
  const waiter = defineCustomAgent({ name: "waiter", store }, async ({ session }) => {
    await session.run(() => {
      const orders = session.messages().filter(({ role }) => role === "user").length;
      session.addMessages({ role: "model", content: [{ text: `Order ${orders} is noted.` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  });
  await waiter.runText("Tea", { sessionId: "table-1" });
  const { message } = await waiter.runText("Lemons", { sessionId: "table-1" });
  console.log(message?.content[0]?.text, "Writes survive:", store.capabilities.durability);
  // So that the example begins anew the next time.
  await waiter.deleteSession("table-1");
  await waiter.close();
}
