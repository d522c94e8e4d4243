import type { Browser } from "playwright-core";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openBrowser } from "../browser/open-browser.ts";
import { type Demo, startDemo } from "./demo.ts";
import { letPass } from "./turnstile.ts";
import { inStudio, isIdle, UNHURRIED, WatchedPage } from "./watched-page.ts";

describe("what goes on, in the Studio", UNHURRIED, () => {
  let browser: Browser;
  let demo: Demo;

  beforeAll(async () => {
    [browser, demo] = await Promise.all([openBrowser(), startDemo()]);
  });
  afterAll(async () => {
    await browser?.close();
    await demo?.close();
  });

  const session = (id: string, agent = "planner"): string =>
    demo.url(`/agents/${agent}/sessions/${id}`);

  test("shows the state with every change, in every tab", async () => {
    await demo.planner.runText("hello", { sessionId: "stateful" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(session("stateful"));
      await page.getByTestId("state").waitFor();
      const other = await WatchedPage.open(page.context(), demo.origin);
      await other.goto(session("stateful"));
      await other.page.getByTestId("state").waitFor();
      const late = await WatchedPage.open(page.context(), demo.origin);
      await studio.send("state watched");
      for (let count = 1; count <= 5; count += 1) {
        if (count === 3) await late.goto(session("stateful"));
        for (const one of count < 3 ? [studio, other] : [studio, other, late]) {
          await one.page.getByTestId("state").getByText(`“change ${count}”`).waitFor();
        }
        await page.getByText(/Live · change [1-5]/).waitFor();
        await page.locator(".flash").first().waitFor();
        letPass("watched");
      }
      await isIdle(studio);
      for (const one of [studio, other, late]) {
        await one.page.getByTestId("state").getByText("“change 5”").waitFor();
        await one.page.getByText("I changed my mind five times.").waitFor();
      }
      expect([...other.faults, ...late.faults]).toEqual([]);
      expect((await demo.planner.getLatestSnapshot("stateful")).state?.custom).toMatchObject({
        step: "change 5",
        visits: 5,
      });
    });
  });

  test("takes each answer to its own request, and asks once", async () => {
    await demo.planner.runText("book", { sessionId: "waiting" });
    await demo.planner.runText("hello", { sessionId: "not-waiting" });
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await studio.goto(session("waiting"));
      const other = await WatchedPage.open(page.context(), demo.origin);
      await other.goto(session("waiting"));
      await other.sees("Shall I book it for €512?");
      const hotel = page.getByRole("region", { name: "bookHotel waits for you" });
      const budget = page.getByRole("region", { name: "askBudget waits for you" });
      // Neither is decided beforehand, and what has no tool behind it cannot be approved.
      expect(await page.getByRole("radio", { checked: true }).count()).toBe(0);
      expect(await page.getByRole("radio", { name: "Approve" }).count()).toBe(1);
      expect(await page.getByRole("button", { name: /^(Approve|Deny|Answer)$/ }).count()).toBe(0);
      await budget.getByLabel("Answer in its place: the tool does not run").check();
      await budget.getByRole("button", { name: "Answer" }).click();
      await budget.getByRole("alert").getByText("This is needed.").waitFor();
      await budget.getByLabel("Euros").fill("700");
      await budget.getByLabel("season").selectOption("summer");
      await budget.getByRole("button", { name: "Answer" }).click();
      await studio.sees("1 of 2 answered");
      await page.reload();
      await studio.sees("0 of 2 answered");
      await budget.getByLabel("Answer in its place").check();
      await budget.getByLabel("Euros").fill("700");
      await budget.getByRole("button", { name: "Answer" }).click();
      await hotel.getByLabel("Approve: the tool runs").check();
      await hotel.getByRole("button", { name: "Approve" }).click();
      await studio.click("Send the answers");
      await studio.sees(/I heard: b2=\{"euros":700\} and b1=.*"nights":4/);
      await isIdle(studio);
      for (const one of [studio, other]) {
        await one.page.getByText("waits for you").first().waitFor({ state: "detached" });
      }
      await studio.goto(session("not-waiting"));
      await studio.sees("three hotels in hello");
      expect(await page.getByText("waits for you").count()).toBe(0);
    });
  });

  test("leaves a run to itself, finds it again, and aborts another", async () => {
    await inStudio({ browser, demo }, async (studio) => {
      const { page } = studio;
      await demo.research.runText("hello", { sessionId: "background" });
      await studio.goto(session("background", "research"));
      const box = page.getByRole("textbox", { name: "Message" });
      await box.fill("slow background");
      await studio.click("Send in the background");
      await page.getByRole("button", { name: "Stop" }).waitFor();
      await studio.goto(demo.url("/runs?status=running"));
      const row = page.getByRole("row").filter({ hasText: "background" });
      await row.getByText("Running").waitFor();
      await row
        .getByText(/just now|s ago/)
        .first()
        .waitFor();
      await row.getByRole("link", { name: "Attach" }).click();
      await page
        .getByTestId("live-turn")
        .getByText(/^tick 0/)
        .waitFor();
      await studio.goto(demo.url("/runs"));
      await row.getByText("Running").waitFor();
      letPass("background");
      await row.first().getByText("Done").waitFor();
      const lost = demo.research.runText("slow doomed", { sessionId: "doomed" });
      const doomed = page.getByRole("row").filter({ hasText: "doomed" });
      await doomed.getByRole("link", { name: "Attach" }).click();
      // Told by the server: this browser did not send it.
      await page
        .getByTestId("live-turn")
        .getByLabel("Your message")
        .getByText("slow doomed")
        .waitFor();
      await page.goBack();
      await doomed.getByRole("button", { name: "Abort" }).click();
      await studio.click("Abort it");
      await doomed.getByText("Aborted").waitFor();
      expect((await lost).finishReason).toBe("aborted");
      letPass("doomed");
      await page.reload();
      await doomed.getByText("Aborted").waitFor();
    });
  });

  test("says that the server is gone, and comes back with it", async () => {
    const own = await startDemo();
    const { port } = own;
    await own.planner.runText("hello", { sessionId: "kept" });
    const context = await browser.newContext({ locale: "en-US" });
    const page = await context.newPage();
    await page.goto(own.link);
    await page.getByText("connected").waitFor();
    await page.goto(own.url("/agents/planner/new"));
    const box = page.getByRole("textbox", { name: "Message" });
    await box.fill("not sent yet");
    await own.close();
    await page.getByText("The connection to the server is lost.").waitFor();
    await box.press("Enter");
    await page.getByText("The turn could not start.").waitFor();
    const again = await startDemo({ port, token: own.studio.token });
    await page.getByText("connected").waitFor();
    await page.getByText("The connection to the server is lost.").waitFor({ state: "detached" });
    expect(await box.inputValue()).toBe("not sent yet");
    await box.press("Enter");
    await page.waitForURL(/\/sessions\//);
    await context.close();
    await again.close();
  });
});
