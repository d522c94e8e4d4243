import { letPass } from "../turnstile.ts";
import { took } from "./finding.ts";
import { inFreshPage, type Measurement } from "./stage.ts";

/** Ten tabs that follow a run, and an eleventh that asks for something. */
export const tabs: Measurement = {
  round: async (stage, number) => {
    const { demo } = stage;
    const sessionId = `tabs-${number}`;
    const run = demo.planner.runText(`slow ${sessionId}`, { sessionId });
    const found = await inFreshPage(stage, async (first) => {
      const context = first.context();
      for (let tab = 0; tab < 10; tab += 1) {
        const page = await context.newPage();
        await page.goto(demo.url(`/agents/planner/sessions/${sessionId}`));
        await page.getByRole("heading", { level: 1 }).waitFor();
      }
      const eleventh = await context.newPage();
      await eleventh.goto(demo.url("/sessions"));
      await eleventh.locator("[data-session]").first().waitFor();
      const slowest = await eleventh.evaluate<number>(
        `Math.max(...performance.getEntriesByType("resource").filter(({ name }) => name.includes("/api/")).map(({ duration }) => duration))`,
      );
      return [took("ten tabs open: the eleventh's slowest call", slowest, 1000)];
    });
    letPass(sessionId);
    await run;
    return found;
  },
};
