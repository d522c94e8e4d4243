import type { Ask } from "../http/serving.ts";
import { turn } from "./reflecting.ts";

/** What the cases ask for; ids that need not exist. */
export interface Ids {
  readonly session: string;
  readonly snapshot: string;
  readonly run: string;
  readonly trace: string;
  readonly span: string;
}

const AT = "agents/echo";

/** One way to ask for every route. */
export const ROUTE_CASES: Readonly<Record<string, (ids: Ids) => readonly [string, Ask?]>> = {
  "GET agents": () => ["agents"],
  "GET agents/:agent": () => [AT],
  "GET agents/:agent/sessions": () => [`${AT}/sessions`],
  "GET agents/:agent/sessions/:session": ({ session }) => [`${AT}/sessions/${session}`],
  "POST agents/:agent/execute": ({ session }) => [
    `${AT}/execute`,
    { body: turn("written", { init: { sessionId: session } }) },
  ],
  "DELETE agents/:agent/sessions/:session": ({ session }) => [
    `${AT}/sessions/${session}`,
    { method: "DELETE" },
  ],
  "GET studio/info": () => ["studio/info"],
  "POST studio/session": () => ["studio/session", { body: { token: "wrong" } }],
  "GET studio/find": ({ snapshot }) => [`studio/find?id=${snapshot}`],
  "GET sessions": () => ["sessions"],
  "PATCH agents/:agent/sessions/:session": ({ session }) => [
    `${AT}/sessions/${session}`,
    { method: "PATCH", body: { title: "written" } },
  ],
  "POST agents/:agent/sessions:batchDelete": ({ session }) => [
    `${AT}/sessions:batchDelete`,
    { body: { ids: [session] } },
  ],
  "POST agents/:agent/sessions:import": () => [
    `${AT}/sessions:import`,
    { body: "{}", headers: { "content-type": "application/x-ndjson" } },
  ],
  "GET agents/:agent/sessions/:session/export": ({ session }) => [
    `${AT}/sessions/${session}/export`,
  ],
  "GET agents/:agent/sessions/:session/messages": ({ session }) => [
    `${AT}/sessions/${session}/messages`,
  ],
  "GET agents/:agent/sessions/:session/snapshots": ({ session }) => [
    `${AT}/sessions/${session}/snapshots`,
  ],
  "GET agents/:agent/snapshots/:snapshot": ({ snapshot }) => [`${AT}/snapshots/${snapshot}`],
  "GET agents/:agent/snapshots/:snapshot/messages/:message/parts/:part": ({ snapshot }) => [
    `${AT}/snapshots/${snapshot}/messages/0/parts/0`,
  ],
  "GET agents/:agent/snapshots/:snapshot/artifacts/:artifact/parts/:part": ({ snapshot }) => [
    `${AT}/snapshots/${snapshot}/artifacts/0/parts/0`,
  ],
  "GET agents/:agent/snapshots/:snapshot/artifact-history": ({ snapshot }) => [
    `${AT}/snapshots/${snapshot}/artifact-history?name=any`,
  ],
  "GET agents/:agent/snapshots/:snapshot/interrupts": ({ snapshot }) => [
    `${AT}/snapshots/${snapshot}/interrupts`,
  ],
  "POST agents/:agent/snapshots/:snapshot/fork": ({ snapshot }) => [
    `${AT}/snapshots/${snapshot}/fork`,
    { body: { as: "branch" } },
  ],
  "POST agents/:agent/snapshots/:snapshot/abort": ({ snapshot }) => [
    `${AT}/snapshots/${snapshot}/abort`,
    { body: {} },
  ],
  "GET agents/:agent/diff": ({ snapshot }) => [`${AT}/diff?from=${snapshot}&to=${snapshot}`],
  "GET runs": () => ["runs"],
  "GET runs/:run": ({ run }) => [`runs/${run}`],
  "GET runs/:run/stream": ({ run }) => [`runs/${run}/stream`],
  "POST runs/:run/abort": ({ run }) => [`runs/${run}/abort`, { body: {} }],
  "GET traces": () => ["traces"],
  "GET traces/:trace": ({ trace }) => [`traces/${trace}`],
  "GET traces/:trace/spans/:span": ({ trace, span }) => [`traces/${trace}/spans/${span}`],
  "GET traces/:trace/stream": ({ trace }) => [`traces/${trace}/stream`],
  "GET stats": () => ["stats"],
  "GET events": () => ["events"],
  "GET actions": () => ["actions"],
  "POST runAction": ({ session }) => [
    "runAction",
    { body: { key: "/agent/echo", input: turnInput, init: { sessionId: session } } },
  ],
  "POST cancelAction": ({ trace }) => ["cancelAction", { body: { traceId: trace } }],
  "GET __health": () => ["__health"],
};

const turnInput = { message: { role: "user", content: [{ text: "written" }] } };
