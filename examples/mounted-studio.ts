import { once } from "node:events";
import type { AddressInfo } from "node:net";
import express from "express";
import { defineCustomAgent } from "turnkeep";
import { toNodeHandler } from "turnkeep/node";
import { MemoryStore } from "turnkeep/stores/memory";
import { studio } from "turnkeep/studio";

// The Studio inside a server that is there already, here one of Express.
const app = express();
const support = defineCustomAgent(
  { name: "support", store: new MemoryStore() },
  async ({ session }) => {
    await session.run(() => ({ finishReason: "stop" }));
  },
);

const page = studio([support], { path: "/studio" });
app.use("/studio", toNodeHandler(page)); // or, with Node's own: createServer(toNodeHandler(page))

const server = app.listen(0, "127.0.0.1");
await once(server, "listening");
const { port } = server.address() as AddressInfo;
const link = page.linkAt(`http://127.0.0.1:${port}`);
console.log(link.replace(String(port), "3000").replace(page.token, "…"));

const shown = await fetch(link);
console.log(shown.status, shown.headers.get("content-type"));
server.close();
