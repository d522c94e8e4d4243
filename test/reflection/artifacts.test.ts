import { createHash } from "node:crypto";
import type { Artifact } from "turnkeep";
import { MemoryStore } from "turnkeep/stores/memory";
import { expect, test } from "vitest";
import { agentOf } from "../agent/authoring/turns.ts";
import { reflecting } from "./reflecting.ts";

const PIXELS = Uint8Array.from({ length: 300 }, (_, index) => index % 256);
const base64 = Buffer.from(PIXELS).toString("base64");

async function stage(...parts: Artifact["parts"]) {
  const agent = agentOf({ store: new MemoryStore() }, ({ session }) => {
    session.addArtifacts({ name: "übersicht 'a'.txt", parts });
  });
  const { snapshotId } = await agent.runText("hi");
  const { open, ask } = reflecting([agent]);
  const path = `agents/actor/snapshots/${snapshotId}/artifacts/0/parts`;
  return { open, ask, path };
}

test("the bytes of a part come as they are, and are never run", async () => {
  const text = "こんにちは 🌙 مرحبا <script>alert(1)</script>";
  const { open, path } = await stage(
    { text },
    { media: { url: `data:image/png;base64,${base64}` } },
    { media: { url: "data:text/html,%3Cscript%3Ealert(1)%3C%2Fscript%3E" } },
    { media: { url: `data:;base64,${base64}`, contentType: "image/svg+xml" } },
    { data: { a: [1] } },
    { media: { url: `data:image/png;base64,${base64}`, contentType: "text/html\r\nx: y" } },
  );
  const expected = [
    ["text/plain; charset=utf-8", "inline"],
    ["image/png", "inline"],
    ["text/html", "attachment"],
    ["image/svg+xml", "attachment"],
    ["application/json; charset=utf-8", "attachment"],
    ["application/octet-stream", "attachment"],
  ] as const;
  for (const [index, [type, disposition]] of expected.entries()) {
    const { status, headers } = await open(`${path}/${index}`);
    expect(status).toBe(200);
    expect(headers.get("content-type")).toBe(type);
    expect(headers.get("content-disposition")).toBe(
      `${disposition}; filename*=UTF-8''%C3%BCbersicht%20%27a%27.txt`,
    );
    expect(headers.get("content-security-policy")).toContain("sandbox");
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  }
  expect(await (await open(`${path}/0`)).text()).toBe(text);
  const bytes = new Uint8Array(await (await open(`${path}/1`)).arrayBuffer());
  const digest = (of: Uint8Array): string => createHash("sha256").update(of).digest("hex");
  expect(digest(bytes)).toBe(digest(PIXELS));
  expect(await (await open(`${path}/2`)).text()).toBe("<script>alert(1)</script>");
});

test("parts of the bytes can be asked for", async () => {
  const { open, path } = await stage({ text: "0123456789" });
  const range = async (text: string) => {
    const response = await open(`${path}/0`, { headers: { range: text } });
    const { status, headers } = response;
    return [status, headers.get("content-range"), await response.text()];
  };
  expect(await range("bytes=2-4")).toEqual([206, "bytes 2-4/10", "234"]);
  expect(await range("bytes=7-")).toEqual([206, "bytes 7-9/10", "789"]);
  expect(await range("bytes=-2")).toEqual([206, "bytes 8-9/10", "89"]);
  expect(await range("bytes=8-99")).toEqual([206, "bytes 8-9/10", "89"]);
  expect(await range("bytes=10-")).toEqual([416, "bytes */10", ""]);
  expect(await range("bytes=5-4")).toEqual([416, "bytes */10", ""]);
  // What is no single range is answered whole, as HTTP has it.
  expect(await range("bytes=0-1,3-4")).toEqual([200, null, "0123456789"]);
  expect(await range("lines=1")).toEqual([200, null, "0123456789"]);
});

test("nothing is fetched from elsewhere", async () => {
  const { ask, path } = await stage(
    { media: { url: "https://example.com/a.png" } },
    { media: { url: "data:image/png;base64,%%%" } },
  );
  for (const index of [0, 1]) {
    const { status, body } = await ask(`${path}/${index}`);
    expect(status).toBe(400);
    expect(body.error.status).toBe("FAILED_PRECONDITION");
  }
  expect((await ask(`${path}/9`)).status).toBe(404);
  expect((await ask(`${path}/-1`)).status).toBe(400);
});
