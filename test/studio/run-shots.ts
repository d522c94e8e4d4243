import { mkdir } from "node:fs/promises";
import type { Page } from "playwright-core";
import { launchBrowser } from "../browser/launch-browser.ts";
import { startDemo } from "./demo.ts";
import { openStudio } from "./open-studio.ts";
import { seed } from "./seed.ts";

// Pictures of every screen in both themes, for people to look at: `npm run studio:shots`, with names for some of them.
const FOLDER = "studio-shots";
// And the one that the README shows: `npm run studio:shots -- readme`.
const README = "docs/images/studio";

const demo = await startDemo();
const browser = await launchBrowser();
const { runs } = await seed(demo);
await demo.planner.runText("spans 12", { sessionId: "searches" });
void demo.research.runText("state changing", { sessionId: "changing" }).catch(() => {});
const lisbon = await demo.planner.listSnapshots("lisbon");
const [first, second, third] = lisbon.map(({ snapshotId }) => snapshotId);
const drafts = (await demo.planner.listSnapshots("drafts")).map(({ snapshotId }) => snapshotId);
const [trace] = demo.traces.list().toSorted((left, right) => right.spans.size - left.spans.size);

type Screen = readonly [string, string, ((page: Page) => Promise<unknown>)?];

const WAITING: Screen = [
  "session-waiting",
  "/agents/planner/sessions/lisbon",
  (page) => page.getByText("bookHotel waits").first().waitFor(),
];

const SCREENS: readonly Screen[] = [
  ["agents", "/agents"],
  ["agent", "/agents/planner"],
  ["agent-tools", "/agents/planner?tab=tools"],
  ["agent-schemas", "/agents/planner?tab=schemas"],
  ["sessions", "/sessions", (page) => page.getByText("Trip to Lisbon").waitFor()],
  [
    "sessions-selected",
    "/sessions",
    async (page) => {
      await page.getByRole("checkbox", { name: "Select Trip to Lisbon in May" }).check();
      await page.getByRole("checkbox", { name: "Select Winter in the Alps" }).check();
      await page.getByRole("button", { name: "Delete…" }).click();
      await page.getByRole("dialog").waitFor();
    },
  ],
  WAITING,
  ["session-past", `/agents/planner/sessions/lisbon?snap=${second}`],
  [
    "session-live",
    "/agents/research/sessions/quantum-report",
    (page) => page.getByText("tick").first().waitFor(),
  ],
  [
    "state-live",
    "/agents/research/sessions/changing",
    (page) => page.getByText("Live · change").waitFor(),
  ],
  ["details", "/agents/planner/sessions/lisbon?panel=details"],
  ["session-trace", "/agents/planner/sessions/lisbon?panel=trace"],
  ["session-failed", "/agents/planner/sessions/broken"],
  [
    "session-find",
    "/agents/planner/sessions/lisbon",
    async (page) => {
      await page.keyboard.press("Control+f");
      await page.getByRole("searchbox", { name: "Find in the messages" }).fill("hotels");
      await page.keyboard.press("Enter");
      await page.getByText("1 of").waitFor();
    },
  ],
  [
    "artifacts",
    "/agents/planner/sessions/lisbon-files?panel=artifacts",
    (page) => page.getByText("Alfama").waitFor(),
  ],
  [
    "artifact-code",
    "/agents/planner/sessions/lisbon-files?panel=artifacts&art=booking.ts",
    (page) => page.locator(".cm-line").first().waitFor(),
  ],
  [
    "diff",
    `/agents/planner/sessions/lisbon/diff?from=${first}&to=${lisbon.at(-1)?.snapshotId}`,
    (page) => page.locator(".cm-line").first().waitFor(),
  ],
  [
    "diff-artifacts",
    `/agents/planner/sessions/drafts/diff?from=${drafts[0]}&to=${drafts[2]}`,
    (page) => page.locator(".cm-changedLine").first().waitFor(),
  ],
  [
    "compare-siblings",
    `/agents/planner/sessions/lisbon/diff?from=${second}&to=${third}`,
    (page) => page.getByText("hotels in Cascais").first().waitFor(),
  ],
  [
    "timeline",
    "/agents/planner/sessions/lisbon/timeline",
    (page) => page.getByRole("listbox").getByRole("option").first().click(),
  ],
  [
    "raw",
    "/agents/planner/sessions/drafts/raw",
    (page) => page.locator(".cm-line").first().waitFor(),
  ],
  [
    "artifact-history",
    `/agents/planner/sessions/drafts/artifact?art=plan.md&snap=${drafts.at(-1)}&view=changes`,
    (page) => page.locator(".cm-changedLine").first().waitFor(),
  ],
  ["open", "/open?id=nothing-here", (page) => page.getByText("Nothing has this id").waitFor()],
  [
    "runs",
    "/runs",
    (page) => page.getByText("quantum").or(page.getByText("Attach")).first().waitFor(),
  ],
  ["traces", "/traces"],
  [
    "trace",
    `/traces/${trace?.traceId}`,
    async (page) => await page.getByRole("listbox").getByRole("option").nth(0).click(),
  ],
  ["stats", "/stats?range=1h", (page) => page.locator(".uplot").nth(2).waitFor()],
  ["settings", "/settings"],
  ["new", "/agents/planner/new"],
  [
    "shortcuts",
    "/agents",
    async (page) => {
      await page.keyboard.press("?");
      await page.getByRole("dialog").waitFor();
    },
  ],
  [
    "palette",
    "/agents",
    async (page) => {
      await page.keyboard.press("Control+k");
      await page.getByRole("combobox").fill("lis");
      await page.getByText("session of planner").first().waitFor();
    },
  ],
  [
    "edit",
    "/agents/planner/sessions/refund-8812",
    async (page) => {
      await page.getByRole("button", { name: "Edit and continue" }).click();
      await page.locator(".cm-line").first().waitFor();
    },
  ],
];

await mkdir(FOLDER, { recursive: true });
const wanted = process.argv.slice(2);
const isWanted = (name: string): boolean => wanted.length === 0 || wanted.includes(name);

async function open(page: Page, [name, path, ready]: Screen): Promise<void> {
  await page.goto(demo.url(path));
  await page.getByRole("heading", { level: 1 }).waitFor();
  await (ready?.(page) ?? Promise.resolve()).catch((error: unknown) =>
    console.error(name, String(error).split("\n")[0]),
  );
  await page.waitForTimeout(500);
}

for (const theme of ["light", "dark"] as const) {
  const page = await openStudio(browser, demo, { colorScheme: theme });
  for (const screen of SCREENS.filter(([name]) => isWanted(name))) {
    await open(page, screen);
    await page.screenshot({ path: `${FOLDER}/${screen[0]}-${theme}.png` });
  }
  if (wanted.includes("readme")) {
    await page.setViewportSize({ width: 1400, height: 900 });
    await open(page, WAITING);
    // So that it shows what was said as well as what waits.
    await page.getByRole("log").hover();
    await page.mouse.wheel(0, -470);
    await page.mouse.move(0, 0);
    await page.waitForTimeout(500);
    await page.screenshot({ path: `${README}${theme === "dark" ? "-dark" : ""}.png` });
  }
  await page.context().close();
}
await browser.close();
await demo.close();
await Promise.all(runs);
console.log(`Pictures are in ${FOLDER}.`);
process.exit();
