import type { Page } from "playwright-core";
import { took } from "./finding.ts";
import {
  answeredAt,
  clickedAt,
  inFreshPage,
  type Measurement,
  shownAt,
  type Stage,
  watchTasks,
} from "./stage.ts";

const LINES = `document.querySelector(".cm-content")?.textContent ?? ""`;

/** 5 MB of many lines: opened, and searched for what stands near its end. */
export const text: Measurement = {
  prepare: async (stage) => await make(stage, "large.txt"),
  round: async (stage) =>
    await beside(stage, "large.txt", async (page) => {
      const opened = await open(page, `(${LINES}).includes("Line 1 of the large text.")`);
      await page.locator(".cm-content").click();
      await page.keyboard.press("Control+f");
      const find = page.locator(".cm-search input[name=search]");
      await find.pressSequentially("Line 177777 of");
      const asked = Date.now();
      await find.press("Enter");
      const found = await shownAt(page, `(${LINES}).includes("Line 177777 of")`);
      return [
        took("text, 5 MB: from the click to its first lines", opened, 500),
        took("text, 5 MB: find what is near the end", found - asked, 1000),
      ];
    }),
};

export const line: Measurement = {
  prepare: async (stage) => await make(stage, "one-line.txt"),
  round: async (stage) =>
    await beside(stage, "one-line.txt", async (page) => {
      const opened = await open(page, `(${LINES}).includes("Line 1 of the large text.")`);
      return [took("one line, 5 MB: from the click to its begin", opened, 500)];
    }),
};

export const json: Measurement = {
  prepare: async (stage) => await make(stage, "large.json"),
  round: async (stage) =>
    await beside(stage, "large.json", async (page) => {
      await open(page, `document.body.textContent.includes("“number 1”")`);
      const parsed = await page.evaluate<number>(`
        fetch(document.querySelector("a[download='large.json']").href)
          .then((response) => response.text())
          .then((text) => {
            const begun = performance.now();
            JSON.parse(text);
            return performance.now() - begun;
          })
      `);
      return [took("JSON, 5 MB: parse", parsed, 150)];
    }),
};

/** As much Markdown as is laid out unasked: what is seen first, and what holds the page up until all of it is there. */
export const markdown: Measurement = {
  prepare: async (stage) => await make(stage, "essay.md"),
  round: async (stage) =>
    await beside(stage, "essay.md", async (page) => {
      const longest = await watchTasks(page);
      await clickedAt(page, NOT_OPEN);
      const shown = await shownAt(page, `document.querySelector(".prose-studio table")`);
      const answered = await answeredAt(page, /\/artifacts\/1\/parts\/0/);
      const last = Math.floor(65_536 / SECTION);
      await page.getByRole("heading", { name: `Part ${last}:` }).waitFor({ state: "attached" });
      return [
        took("Markdown, 64 KB: laid out after its data", shown - answered, 100),
        took("Markdown, 64 KB: longest task (0: none of 50 ms)", await longest(), 100),
      ];
    }),
};

const SECTION = 800;
const NOT_OPEN = `ul[aria-label=Artifacts] button[aria-current=false]`;

async function make({ demo }: Stage, name: string): Promise<void> {
  await demo.planner.runText("write note.md something-short", { sessionId: name });
  await demo.planner.runText(`large ${name}`, { sessionId: name });
}

// Where a short one is shown, so that all the page needs is there.
async function beside<Result>(
  stage: Stage,
  name: string,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  return await inFreshPage(stage, async (page) => {
    await page.goto(stage.demo.url(`/agents/planner/sessions/${name}?panel=artifacts`));
    await page.locator(".prose-studio").getByText("something-short").waitFor();
    return await work(page);
  });
}

/** How long it took from the click to what is looked for. */
async function open(page: Page, condition: string): Promise<number> {
  const clicked = await clickedAt(page, NOT_OPEN);
  return (await shownAt(page, condition)) - clicked;
}
