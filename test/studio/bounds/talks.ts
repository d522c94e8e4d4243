import type { Page } from "playwright-core";
import { letPass } from "../turnstile.ts";
import { type Finding, rowsIn, took } from "./finding.ts";
import { inFreshPage, type Measurement, scroll, shownAt, type Stage, watchTasks } from "./stage.ts";

const MESSAGES = 5000;
const CHUNKS = 6000;
const LOG = `document.querySelector("[role=log]")`;

/** A session of years, opened at its end and scrolled back by a screen a frame. */
export const messages: Measurement = {
  prepare: async ({ demo }) => {
    await demo.planner.runText(`history ${MESSAGES}`, { sessionId: "long" });
  },
  round: async (stage) =>
    await inFreshPage(stage, async (page) => {
      const begun = Date.now();
      await page.goto(stage.demo.url("/agents/planner/sessions/long"), { waitUntil: "commit" });
      const last = `Said ${MESSAGES - 1}.`;
      const shown = await shownAt(page, `${LOG}?.textContent.includes("${last}")`);
      const height = await page.evaluate<number>(`${LOG}.clientHeight`);
      const rows = "[role=log] article";
      const { p95, most } = await scroll(page, { box: "[role=log]", rows, step: -height });
      return [
        took("messages, 5,000: to the last one", shown - begun, 1000),
        took("messages, 5,000: scroll of a screen a frame, p95", p95, 50),
        rowsIn("messages, 5,000: how many are in the page", most, 30),
      ];
    }),
};

/** An answer of six thousand chunks, from the first to the turn's end. */
export const stream: Measurement = {
  round: async (stage, number) =>
    await inTalk(stage, `stream-${number}`, async (page) => {
      const longest = await watchTasks(page);
      await send(page, `essay ${CHUNKS}`);
      await page.getByTestId("live-turn").waitFor();
      await page.getByTestId("live-turn").waitFor({ state: "detached", timeout: 120_000 });
      return [
        {
          what: "stream, 6,000 chunks: longest task (0: none of 50 ms)",
          bound: { atMost: 50 },
          unit: "ms",
          told: "worst",
          value: await longest(),
        },
      ];
    }),
};

/** Who reads further up is left there while text comes in. */
export const reading: Measurement = {
  round: async (stage, number) =>
    await inTalk(stage, `reading-${number}`, async (page) => {
      await send(page, `lines 300 100 reading-${number}`);
      await page.getByText("Line 100 of 300.", { exact: true }).waitFor();
      await page.getByRole("log").hover();
      await page.mouse.wheel(0, -600);
      await page.getByRole("button", { name: "New text" }).waitFor();
      const place = async (): Promise<number> => await page.evaluate<number>(`${LOG}.scrollTop`);
      const before = await settled(place);
      letPass(`reading-${number}`);
      await page.getByText("Line 200 of 300.", { exact: true }).waitFor();
      const value = Math.abs((await place()) - before);
      letPass(`reading-${number}`);
      await page.getByTestId("live-turn").waitFor({ state: "detached" });
      return [
        {
          what: "scrolled up while 100 lines come in: moved by",
          bound: { atMost: 0 },
          unit: "px",
          told: "worst",
          value,
        },
      ];
    }),
};

async function inTalk(
  stage: Stage,
  sessionId: string,
  work: (page: Page) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  await stage.demo.planner.runText("hello", { sessionId });
  return await inFreshPage(stage, async (page) => {
    await page.goto(stage.demo.url(`/agents/planner/sessions/${sessionId}`));
    await page.getByText("three hotels in hello").waitFor();
    return await work(page);
  });
}

async function send(page: Page, text: string): Promise<void> {
  const box = page.getByRole("textbox", { name: "Message" });
  await box.fill(text);
  await box.press("Enter");
}

// The wheel moves on for a few frames.
async function settled(place: () => Promise<number>): Promise<number> {
  for (let last = await place(); ;) {
    await new Promise((resolve) => setTimeout(resolve, 300));
    const now = await place();
    if (now === last) return now;
    last = now;
  }
}
