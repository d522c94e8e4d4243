import { jsonResponse } from "../http/index.ts";
import type { Artifact } from "../protocol/index.ts";
import { invalid } from "./query.ts";
import type { StudioExchange } from "./studio-exchange.ts";

// States that one request reads.
const MOST_READ = 100;

/** The artifact as it was from a snapshot on. */
interface Version {
  readonly snapshotId: string;
  readonly createdAt: string;
  /** Its place among the snapshot's artifacts; none where it was taken away. */
  readonly index?: number;
  readonly bytes?: number;
}

/** What became of the artifact of a name on the way to a snapshot, the newest version first. */
export async function readArtifactHistory(exchange: StudioExchange): Promise<Response> {
  const { keepingAgent: agent, reader, url } = exchange;
  const name = url.searchParams.get("name");
  if (name === null) throw invalid("Say which artifact, as 'name'.");
  const changes = await agent.inspector.listArtifactChanges(exchange.named("snapshot"), reader);
  const isComplete = changes.length <= MOST_READ;
  const read: { readonly version: Version; readonly text: string | undefined }[] = [];
  for (const { snapshotId, createdAt } of changes.slice(0, MOST_READ)) {
    const { state } = await agent.getSnapshot(snapshotId, reader);
    const { text, ...place } = formIn(state?.artifacts ?? [], name);
    read.push({ version: { snapshotId, createdAt, ...place }, text });
  }
  // A version begins where the one before it was another; before the first there was nothing to tell of.
  const begins = read.filter(({ text }, at) => {
    const older = read[at + 1];
    return older ? older.text !== text : isComplete && text !== undefined;
  });
  return jsonResponse({
    name,
    versions: begins.map(({ version }) => version),
    // From there on the rest is told, with the version whose beginning was not reached.
    ...(!isComplete && { next: read.at(-1)?.version.snapshotId }),
  });
}

interface Form {
  readonly index?: number;
  readonly bytes?: number;
  /** Tells one form from another. */
  readonly text?: string;
}

function formIn(artifacts: readonly Artifact[], name: string): Form {
  const index = artifacts.findIndex((one) => one.name === name);
  const found = artifacts[index];
  return found ? { index, bytes: bytesOf(found), text: JSON.stringify(found) } : {};
}

function bytesOf({ parts }: Artifact): number {
  const text = parts.map((part) => part.text ?? JSON.stringify(part)).join("");
  return new TextEncoder().encode(text).length;
}
