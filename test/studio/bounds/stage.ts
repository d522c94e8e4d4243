import type { Browser, Page } from "playwright-core";
import type { Demo } from "../demo.ts";
import { openStudio } from "../open-studio.ts";
import type { Finding } from "./finding.ts";

/** What is measured on: a real browser, and a real runtime over SQLite. */
export interface Stage {
  readonly browser: Browser;
  readonly demo: Demo;
}

/** One case of the table: prepared once, measured in rounds. */
export interface Measurement {
  readonly prepare?: (stage: Stage) => Promise<void>;
  /** `true` where it is the same every time. */
  readonly isOnce?: boolean;
  readonly round: (stage: Stage, number: number) => Promise<readonly Finding[]>;
}

/** Does it in a browser that has nothing kept from before. */
export async function inFreshPage<Result>(
  { browser, demo }: Stage,
  work: (page: Page) => Promise<Result>,
): Promise<Result> {
  const page = await openStudio(browser, demo);
  try {
    return await work(page);
  } finally {
    await page.context().close();
  }
}

/** When a condition first holds, in milliseconds since 1970: as the page itself sees it, frame by frame. */
export async function shownAt(page: Page, condition: string): Promise<number> {
  return await page.evaluate<number>(`new Promise((resolve) => {
    const look = () =>
      (${condition}) ? resolve(performance.timeOrigin + performance.now()) : requestAnimationFrame(look);
    look();
  })`);
}

/** Clicks it from within the page, and tells when. */
export async function clickedAt(page: Page, selector: string): Promise<number> {
  return await page.evaluate<number>(
    `{ const at = performance.timeOrigin + performance.now(); document.querySelector(${JSON.stringify(selector)}).click(); at }`,
  );
}

/** When the first answer to such an address had come in whole. */
export async function answeredAt(page: Page, address: RegExp): Promise<number> {
  return await page.evaluate<number>(
    `performance.timeOrigin + performance.getEntriesByType("resource").find(({ name }) => ${String(address)}.test(name)).responseEnd`,
  );
}

const FRAMES = 120;

/** Scrolls by one step a frame: how long 95 of 100 frames took at most, and how many rows there were. */
export async function scroll(
  page: Page,
  { box, rows, step }: { readonly box: string; readonly rows: string; readonly step: number },
): Promise<{ readonly p95: number; readonly most: number }> {
  const { times, most } = await page.evaluate<{
    times: number[];
    most: number;
  }>(`new Promise((resolve) => {
    const box = document.querySelector(${JSON.stringify(box)});
    const times = [];
    let most = 0;
    let last;
    const next = (now) => {
      if (last !== undefined) times.push(now - last);
      last = now;
      most = Math.max(most, document.querySelectorAll(${JSON.stringify(rows)}).length);
      if (times.length === ${FRAMES}) return resolve({ times, most });
      box.scrollTop += ${step};
      requestAnimationFrame(next);
    };
    requestAnimationFrame(next);
  })`);
  const sorted = times.toSorted((one, other) => one - other);
  return { p95: sorted[Math.ceil(FRAMES * 0.95) - 1] ?? Number.NaN, most };
}

/** Notes tasks that hold the page up, until it is asked for the longest; 0 where none took 50 ms. */
export async function watchTasks(page: Page): Promise<() => Promise<number>> {
  await page.evaluate(`
    window.longest = 0;
    window.watched = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries()) window.longest = Math.max(window.longest, duration);
    });
    window.watched.observe({ type: "longtask" });
  `);
  return async () => await page.evaluate<number>("window.longest");
}
