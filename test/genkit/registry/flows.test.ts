import { type Genkit, UserFacingError, z } from "genkit";
import { runFlow, streamFlow } from "genkit/beta/client";
import { agentsOf, createFlowHandler, defineAgent } from "turnkeep/genkit";
import { serve } from "turnkeep/node";
import { describe, expect, onTestFinished, test } from "vitest";
import { collect, errorOf } from "../../agent/authoring/turns.ts";
import { scriptedGenkit } from "../scripted-model.ts";
import { gateOf } from "./registered.ts";

describe("createFlowHandler", () => {
  test("serves all flows of a Genkit beside its agents, to Genkit's own client", async () => {
    const { ai, model } = scriptedGenkit();
    defineFlows(ai);
    defineAgent(ai, { name: "talker", system: "Hi." });
    const flows = createFlowHandler(ai, { auth: "public" });
    const server = await serve(agentsOf(ai), { auth: "public", beside: [flows] });
    onTestFinished(() => server.close());
    // Defined after the handler was.
    ai.defineFlow("late", async () => "late");
    expect(await runFlow({ url: `${server.url}/flows/shout`, input: "hi" })).toBe("HI!");
    expect(await runFlow({ url: `${server.url}/flows/late` })).toBe("late");
    const { stream, output } = streamFlow({ url: `${server.url}/flows/spell`, input: "grüß" });
    expect(await collect(stream)).toEqual(["g", "r", "ü", "ß"]);
    expect(await output).toBe(4);
    model.says("Hello.");
    const response = await fetch(`${server.url}/agents/talker`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ data: { message: { role: "user", content: [{ text: "hi" }] } } }),
    });
    expect(response.status).toBe(200);
  });

  test("serves the flows it is given, and no others", async () => {
    const { ai } = scriptedGenkit();
    const { shout } = defineFlows(ai);
    const handler = createFlowHandler(ai, { auth: "public", path: "api/", flows: [shout] });
    expect(handler.path).toBe("/api");
    expect(await (await handler(post("/api/shout", "hi"))).json()).toEqual({ result: "HI!" });
    expect((await handler(post("/api/spell", "hi"))).status).toBe(404);
  });

  test("tells flows who calls, and refuses whom nobody knows before the body is read", async () => {
    const { ai } = scriptedGenkit();
    const whoami = ai.defineFlow("whoami", async (_input, { context }) => ({ ...context }));
    const handler = createFlowHandler(ai, {
      auth: (request) => {
        const name = request.headers.get("authorization");
        return name === null ? undefined : { context: { auth: { name } } };
      },
    });
    const known = post(`/flows/${whoami.__action.name}`, null);
    known.headers.set("authorization", "Ann");
    expect(await (await handler(known)).json()).toEqual({ result: { auth: { name: "Ann" } } });
    const stranger = await handler(post("/flows/nothing", null));
    expect(stranger.status).toBe(401);
    expect(await stranger.json()).toMatchObject({ status: "UNAUTHENTICATED" });
  });

  test.each([
    ["another method", () => new Request("http://x/flows/shout"), 404],
    ["another path", () => post("/flow/shout", "hi"), 404],
    ["a path below a flow", () => post("/flows/shout/more", "hi"), 404],
    ["a body that is no JSON", () => raw("{"), 400],
    ["a body that is no object", () => raw('"hi"'), 400],
    ["a body of another type", () => raw("{}", "text/plain"), 400],
    ["a body that is too large", () => post("/flows/shout", "x".repeat(200)), 400],
    ["an input that does not fit", () => post("/flows/shout", 5), 400],
  ])("refuses %s", async (_, request, status) => {
    const { ai } = scriptedGenkit();
    defineFlows(ai);
    const handler = createFlowHandler(ai, { auth: "public", maxBodyBytes: 100 });
    expect((await handler(request())).status).toBe(status);
  });

  test("shows clients the errors of their own making only", async () => {
    const { ai } = scriptedGenkit();
    const errors: unknown[] = [];
    ai.defineFlow("secret", async () => {
      throw new Error("password=1234");
    });
    ai.defineFlow("known", async () => {
      throw new UserFacingError("FAILED_PRECONDITION", "Not yet.");
    });
    const handler = createFlowHandler(ai, {
      auth: "public",
      onError: (error) => errors.push(error),
    });
    const secret = await handler(post("/flows/secret", null));
    expect([secret.status, await secret.json()]).toEqual([
      500,
      { status: "INTERNAL", message: "Internal error." },
    ]);
    expect(errors).toEqual([expect.objectContaining({ message: "password=1234" })]);
    const known = await handler(post("/flows/known", null));
    expect(known.status).toBe(400);
    expect(await known.json()).toMatchObject({ message: expect.stringContaining("Not yet.") });
    const streamed = await handler(post("/flows/secret?stream=true", null));
    expect(await streamed.text()).toBe(
      'data: {"error":{"status":"INTERNAL","message":"Internal error."}}\n\n',
    );
  });

  test("stops a flow whose reader goes away", async () => {
    const { ai } = scriptedGenkit();
    const stopped = gateOf();
    ai.defineFlow("endless", async (_input, { sendChunk, abortSignal }) => {
      sendChunk("first");
      await new Promise<void>((resolve) => abortSignal.addEventListener("abort", () => resolve()));
      stopped.open();
    });
    const handler = createFlowHandler(ai, { auth: "public" });
    const { body } = await handler(post("/flows/endless?stream=true", null));
    const reader = body!.getReader();
    await reader.read();
    await reader.cancel();
    await stopped.promise;
  });

  test("wants to be told who may call", async () => {
    const { ai } = scriptedGenkit();
    expect(await errorOf(() => createFlowHandler(ai, {} as never))).toMatchObject({
      status: "INVALID_ARGUMENT",
    });
  });
});

function defineFlows(ai: Genkit): { readonly shout: Genkit["flows"][number] } {
  const shout = ai.defineFlow(
    { name: "shout", inputSchema: z.string(), outputSchema: z.string() },
    async (text) => `${text.toUpperCase()}!`,
  );
  ai.defineFlow(
    { name: "spell", inputSchema: z.string(), outputSchema: z.number(), streamSchema: z.string() },
    async (text, { sendChunk }) => {
      for (const letter of text) sendChunk(letter);
      return text.length;
    },
  );
  return { shout };
}

function post(path: string, data: unknown): Request {
  return raw(JSON.stringify({ data }), "application/json", path);
}

function raw(body: string, type = "application/json", path = "/flows/shout"): Request {
  return new Request(`http://localhost${path}`, {
    method: "POST",
    headers: { "content-type": type },
    body,
  });
}
