import { createScope, type SessionKey, type SurveyedSession } from "../ledger/index.ts";

/** The name of a session, as databases hold it. */
export interface SessionRow {
  readonly tenant: string;
  readonly agent: string;
  readonly name: string;
}

const PAGE = 100;

export function keyFromRow({ tenant, agent, name }: SessionRow): SessionKey {
  return { scope: createScope(tenant), agent, sessionId: name };
}

/** All sessions, by pages in the order of their names. */
export async function* surveyPages(
  read: (after: readonly [string, string, string], limit: number) => Promise<readonly unknown[]>,
): AsyncGenerator<SurveyedSession, void> {
  let after: readonly [string, string, string] = ["", "", ""];
  for (;;) {
    // A page begins where the one before it ended.
    // oxlint-disable-next-line no-await-in-loop
    const rows = (await read(after, PAGE)) as readonly SessionRow[];
    for (const row of rows) yield { key: keyFromRow(row) };
    const last = rows.at(-1);
    if (last === undefined || rows.length < PAGE) return;
    after = [last.tenant, last.agent, last.name];
  }
}
