import { request } from "node:http";
import { networkInterfaces } from "node:os";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Demo, startDemo } from "./demo.ts";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
}

describe("the Studio's door", () => {
  let demo: Demo;
  let token: Readonly<Record<string, string>>;

  beforeAll(async () => {
    demo = await startDemo();
    token = { authorization: `Bearer ${demo.studio.token}` };
  });
  afterAll(() => demo.close());

  // By hand: `fetch` writes the Host itself, and tidies paths up.
  function ask(
    path: string,
    {
      method = "GET",
      headers = {},
      body = "",
    }: { method?: string; headers?: Readonly<Record<string, string>>; body?: string } = {},
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const asked = request(
        { host: "127.0.0.1", port: demo.port, path, method, headers },
        (response) => {
          const pieces: string[] = [];
          response.setEncoding("utf8").on("data", (piece: string) => pieces.push(piece));
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: pieces.join(""),
            }),
          );
        },
      );
      asked.on("error", reject).end(body);
    });
  }

  test("lets nobody in without the token of this start", async () => {
    expect((await ask("/studio/api/agents")).status).toBe(401);
    const wrong = { authorization: `Bearer ${"0".repeat(64)}` };
    expect((await ask("/studio/api/agents", { headers: wrong })).status).toBe(401);
    expect((await ask(`/studio/api/agents?token=${demo.studio.token}`)).status).toBe(401);
    expect((await ask("/studio/api/agents", { headers: token })).status).toBe(200);
  });

  test.each(["/studio/", "/studio/agents", "/studio/api/agents", "/studio/assets/none.js"])(
    "answers %s by none but its own names",
    async (path) => {
      for (const host of ["evil.example", `evil.example:${demo.port}`, "127.0.0.1.evil.example"]) {
        const { status } = await ask(path, { headers: { ...token, host } });
        expect(status, host).toBe(403);
      }
    },
  );

  test("answers no page of another origin, not even one of another port", async () => {
    for (const origin of ["https://evil.example", "http://127.0.0.1:1", "null"]) {
      for (const path of ["/studio/", "/studio/api/agents"]) {
        const { status, headers } = await ask(path, { headers: { ...token, origin } });
        expect(status, `${origin} ${path}`).toBe(403);
        expect(headers["access-control-allow-origin"]).toBeUndefined();
      }
    }
    const embedded = { ...token, "sec-fetch-site": "cross-site", "sec-fetch-mode": "no-cors" };
    expect((await ask("/studio/", { headers: embedded })).status).toBe(403);
    const followed = {
      "sec-fetch-site": "cross-site",
      "sec-fetch-mode": "navigate",
      "sec-fetch-dest": "document",
    };
    expect((await ask("/studio/", { headers: followed })).status).toBe(200);
    expect((await ask("/studio/api/agents", { headers: { ...token, ...followed } })).status).toBe(
      403,
    );
  });

  test("runs nothing for a form of another page", async () => {
    const body = JSON.stringify({ input: { role: "user", content: [{ text: "hello" }] } });
    const path = "/studio/api/agents/planner/execute";
    const headers = { ...token, "content-type": "text/plain" };
    expect((await ask(path, { method: "POST", headers, body })).status).toBe(415);
    expect((await demo.planner.listSessions()).sessions).toEqual([]);
  });

  test.each([
    "/studio/assets/../index.html",
    "/studio/assets/..%2f..%2f..%2fpackage.json",
    "/studio/assets/%2e%2e/%2e%2e/index.js",
    "/studio/assets/..%5c..%5cindex.js",
    "/studio/assets//etc/passwd",
    "/studio/assets/index.html%00.js",
  ])("gives nothing away for %s", async (path) => {
    const { status, body } = await ask(path);
    expect(body).not.toContain("root:");
    expect(body).not.toContain('"name": "turnkeep"');
    expect([200, 404]).toContain(status);
    // What the path leads to after tidying up is the page at most.
    if (status === 200) expect(body).toContain("<!doctype html>");
  });

  test("sends the page with a policy, a nonce of its own and no leave to be kept", async () => {
    const [first, second] = await Promise.all([ask("/studio/"), ask("/studio/sessions/any")]);
    const policies = [first, second].map(({ headers }) =>
      String(headers["content-security-policy"]),
    );
    expect(policies[0]).toMatch(/^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-/);
    expect(policies[0]).toContain("frame-ancestors 'none'");
    expect(policies[0]).not.toContain("unsafe");
    expect(policies[0]).not.toBe(policies[1]);
    expect(first.headers["cache-control"]).toBe("no-store");
    expect(first.body).toContain('<base href="/studio/">');
    const script = /src="\.\/(assets\/[^"]+)"/.exec(first.body)?.[1] ?? "";
    const asset = await ask(`/studio/${script}`);
    expect(asset.headers["cache-control"]).toContain("immutable");
    expect(asset.headers["x-content-type-options"]).toBe("nosniff");
    expect((await ask("/studio/", { method: "POST" })).status).toBe(405);
  });

  test("is not there for other machines", async () => {
    const [address] = Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .filter(({ family, internal }) => family === "IPv4" && !internal)
      .map((one) => one.address);
    if (address === undefined) return;
    const reached = fetch(`http://${address}:${demo.port}/studio/`).then(
      () => true,
      () => false,
    );
    expect(await reached).toBe(false);
  });
});
