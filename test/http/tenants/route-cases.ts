import { user } from "../../agent/agents.ts";
import { type Ask, STREAMED } from "../serving.ts";

/** The ids that somebody's session, or nobody's, can be asked for by. */
export interface Ids {
  readonly session: string;
  readonly snapshot: string;
  readonly earlier: string;
  readonly run: string;
}

export type Case = (ids: Ids) => readonly [path: string, ask?: Ask];

const AT = "/agents/echo";
const OPERATOR: Ask = { headers: { "x-operator": "yes" } };

/** Every way that a route takes ids; none, for routes that take none. */
export const ROUTE_CASES: Readonly<Record<string, readonly Case[]>> = {
  "POST :agent": [
    ({ snapshot }) => [AT, { body: { data: user("hi"), init: { snapshotId: snapshot } } }],
    ({ snapshot }) => [
      AT,
      { body: { data: user("hi"), init: { snapshotId: snapshot } }, headers: STREAMED },
    ],
    ({ session, snapshot }) => [
      AT,
      { body: { data: user("hi"), init: { snapshotId: snapshot, sessionId: session } } },
    ],
    ({ session }) => [AT, { body: { data: user("hi"), init: { sessionId: session } } }],
  ],
  "POST :agent/getSnapshot": [
    ({ snapshot }) => [`${AT}/getSnapshot`, { body: { data: { snapshotId: snapshot } } }],
    ({ session }) => [`${AT}/getSnapshot`, { body: { data: { sessionId: session } } }],
    ({ session, snapshot }) => [
      `${AT}/getSnapshot`,
      { body: { data: { sessionId: session, snapshotId: snapshot } } },
    ],
  ],
  "POST :agent/abort": [
    ({ snapshot }) => [`${AT}/abort`, { body: { data: { snapshotId: snapshot } } }],
    ({ run }) => [`${AT}/abort`, { body: { data: { snapshotId: run } } }],
  ],
  "GET ": [],
  "GET :agent": [],
  "POST :agent/runs": [
    ({ snapshot }) => [
      `${AT}/runs`,
      { body: { input: user("hi"), init: { snapshotId: snapshot } } },
    ],
    ({ snapshot }) => [
      `${AT}/runs`,
      { body: { input: user("hi"), init: { snapshotId: snapshot } }, headers: STREAMED },
    ],
    ({ session, snapshot }) => [
      `${AT}/runs`,
      { body: { input: user("hi"), init: { sessionId: session }, expectedHead: snapshot } },
    ],
    ({ session }) => [
      `${AT}/runs`,
      { body: { input: user("one"), init: { sessionId: session }, requestId: "known-request" } },
    ],
  ],
  "GET :agent/runs/:run/events": [
    ({ run }) => [`${AT}/runs/${run}/events`],
    ({ run }) => [`${AT}/runs/${run}/events?after=1`],
    ({ run }) => [`${AT}/runs/${run}/events`, { headers: { "last-event-id": `${run}.1` } }],
  ],
  "POST :agent/runs/:run/abort": [({ run }) => [`${AT}/runs/${run}/abort`, { body: {} }]],
  "GET :agent/snapshots/:snapshot": [
    ({ snapshot }) => [`${AT}/snapshots/${snapshot}`],
    ({ snapshot }) => [`${AT}/snapshots/${snapshot}?wait=50`],
  ],
  "GET :agent/snapshots/:snapshot/output": [
    ({ snapshot }) => [`${AT}/snapshots/${snapshot}/output`],
    ({ snapshot }) => [`${AT}/snapshots/${snapshot}/output?wait=50`],
  ],
  "GET :agent/snapshots/:snapshot/diff": [
    ({ snapshot, earlier }) => [`${AT}/snapshots/${earlier}/diff?to=${snapshot}`],
  ],
  "POST :agent/snapshots/:snapshot/fork": [
    ({ snapshot }) => [`${AT}/snapshots/${snapshot}/fork`, { body: {} }],
    ({ snapshot }) => [
      `${AT}/snapshots/${snapshot}/fork`,
      { body: { state: { messages: [] } }, ...OPERATOR },
    ],
  ],
  "POST :agent/snapshots/:snapshot/abort": [
    ({ snapshot }) => [`${AT}/snapshots/${snapshot}/abort`, { body: {} }],
  ],
  "GET :agent/sessions": [],
  "GET :agent/sessions/:session": [({ session }) => [`${AT}/sessions/${session}`]],
  "PATCH :agent/sessions/:session": [
    ({ session }) => [
      `${AT}/sessions/${session}`,
      { method: "PATCH", body: { metadata: { userId: "mallory" } } },
    ],
  ],
  "DELETE :agent/sessions/:session": [
    ({ session }) => [`${AT}/sessions/${session}`, { method: "DELETE" }],
  ],
  "GET :agent/sessions/:session/snapshots": [
    ({ session }) => [`${AT}/sessions/${session}/snapshots`],
  ],
  "POST :agent/sessions/:session/labels": [
    ({ session, snapshot }) => [
      `${AT}/sessions/${session}/labels`,
      { body: { label: "mine", snapshotId: snapshot } },
    ],
    ({ session }) => [`${AT}/sessions/${session}/labels`, { body: { removeLabel: "good" } }],
    ({ session, snapshot }) => [`${AT}/sessions/${session}/labels`, { body: { pin: snapshot } }],
  ],
  "GET :agent/sessions/:session/export": [
    ({ session }) => [`${AT}/sessions/${session}/export`],
    ({ session }) => [`${AT}/sessions/${session}/export`, OPERATOR],
  ],
  "POST :agent/sessions/:session/import": [
    ({ session }) => [
      `${AT}/sessions/${session}/import`,
      { body: "{}", headers: { "content-type": "application/x-ndjson", "x-operator": "yes" } },
    ],
  ],
};
