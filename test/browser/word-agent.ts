import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";

/** Says words one by one, each when it is told to, so that a test can look in between. */
export class WordAgent {
  readonly agent: LocalAgent<{ words: number }>;
  #left = 0;
  #wake: () => void = () => {};

  constructor(store: SessionStore) {
    this.agent = defineCustomAgent<{ words: number }>(
      { name: "chat", store },
      async ({ session, respond }) => {
        await session.run(async ({ message, resume }, turn) => {
          if (resume) return answer(resume.restart ? "paid" : "not paid");
          const text = message?.content[0]?.text ?? "";
          if (text === "pay") {
            const content = [
              {
                toolRequest: { name: "pay", ref: "1", input: { euros: 9 } },
                metadata: { interrupt: true },
              },
            ];
            session.addMessages({ role: "model", content });
            return { finishReason: "interrupted" };
          }
          for (const word of text.split(" ")) {
            await this.#told(turn.signal);
            session.updateCustom((draft) => ({ words: (draft?.words ?? 0) + 1 }));
            respond.text(`${word} `);
          }
          return answer(`${text} `);
        });
        return session.result();

        function answer(text: string): { finishReason: "stop" } {
          session.addMessages({ role: "model", content: [{ text }] });
          return { finishReason: "stop" };
        }
      },
    );
  }

  /** Lets it say so many more words. */
  say(words: number): void {
    this.#left += words;
    this.#wake();
  }

  async #told(signal: AbortSignal): Promise<void> {
    while (this.#left === 0) {
      signal.throwIfAborted();
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
        signal.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    this.#left -= 1;
  }
}
