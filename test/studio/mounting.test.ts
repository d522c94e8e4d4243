import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import express from "express";
import { Hono } from "hono";
import { defineCustomAgent, type LocalAgent } from "turnkeep";
import { toNodeHandler } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { type Studio, studio } from "turnkeep/studio";
import { describe, expect, test } from "vitest";
import { errorOf } from "../agent/authoring/turns.ts";

function echo(): LocalAgent {
  return defineCustomAgent({ name: "echo", store: new MemoryStore() }, async ({ session }) => {
    await session.run(() => ({ finishReason: "stop" }));
  });
}

describe("the Studio in a server of one's own", () => {
  async function answers(page: Studio, ask: (path: string) => Promise<Response>): Promise<void> {
    const html = await (await ask("/studio/sessions")).text();
    expect(html).toContain('<base href="/studio/">');
    const script = /src="\.\/(assets\/[^"]+)"/.exec(html)?.[1];
    expect((await ask(`/studio/${script}`)).headers.get("content-type")).toContain("javascript");
    expect((await ask("/studio/api/agents")).status).toBe(401);
    expect(page.linkAt("http://localhost")).toBe(`http://localhost/studio/#token=${page.token}`);
  }

  test("is mounted into Express", async () => {
    const agent = echo();
    const page = studio([agent], { environment: "test" });
    const application = express();
    application.use(express.json());
    application.use("/studio", toNodeHandler(page));
    const server = createServer(application);
    await new Promise<void>((done) => server.listen(0, "127.0.0.1", done));
    const { port } = server.address() as AddressInfo;
    try {
      await answers(page, (path) => fetch(`http://127.0.0.1:${port}${path}`));
    } finally {
      server.close();
      server.closeAllConnections();
      await agent.close();
    }
  });

  test("is mounted into Hono", async () => {
    const agent = echo();
    const page = studio([agent], { environment: "test" });
    const application = new Hono();
    application.all("/studio/*", (context) => page(context.req.raw));
    await answers(page, async (path) => await application.request(`http://localhost${path}`));
    await agent.close();
  });

  test("is not there in production unless allowed twice", async () => {
    const agent = echo();
    const refused = await errorOf(() => studio([agent], { environment: "production" }));
    expect(refused.status).toBe("FAILED_PRECONDITION");
    const allowed = { environment: "production", allowInProduction: true, authorize: () => ({}) };
    expect(studio([agent], allowed).path).toBe("/studio");
    await agent.close();
  });

  test("changes nothing where it is read-only", async () => {
    const agent = echo();
    const page = studio([agent], { environment: "test", readOnly: true });
    const headers = {
      authorization: `Bearer ${page.token}`,
      "content-type": "application/json",
    };
    const answer = await page(
      new Request("http://localhost/studio/api/agents/echo/execute", {
        method: "POST",
        headers,
        body: "{}",
      }),
    );
    expect(answer.status).toBe(403);
    await agent.close();
  });
});
