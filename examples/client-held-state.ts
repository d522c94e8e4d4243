import { defineCustomAgent } from "turnkeep";

// Without a store nothing is kept here: the client gets the state and brings it along next time. With a secret it is signed, so
// that nobody can change it on the way.
const quiz = defineCustomAgent(
  {
    name: "quiz",
    clientState: { secret: "not a good secret, but at least 32 bytes long" },
  },
  async ({ session }) => {
    await session.run(({ message }) => {
      const points = Number(session.custom() ?? 0) + (message?.content[0]?.text === "42" ? 10 : 0);
      session.setCustom(points);
      session.addMessages({ role: "model", content: [{ text: `${points} points` }] });
      return { finishReason: "stop" };
    });
    return session.result();
  },
);

const first = await quiz.runText("42");
const { state = {} } = first;
console.log(first.message?.content[0]?.text, "- the client holds", Object.keys(state).join(", "));

const second = await quiz.runText("42", { state });
console.log(second.message?.content[0]?.text, "-", second.state?.messages?.length, "messages");

// Somebody helps his luck along.
const forged = await quiz.runText("42", { state: { ...state, custom: 1_000_000 } });
console.log("forged:", forged.finishReason, "-", forged.error?.message);

// Sealed, the client cannot even read it.
const secretive = defineCustomAgent(
  { name: "secretive", clientState: { secret: "s".repeat(32), seal: true } },
  async ({ session }) => {
    await session.run(() => session.setCustom("the answer is 42"));
  },
);
const sealed = await secretive.runText("Hello");
console.log("sealed:", Object.keys(sealed.state ?? {}).join(", "));
