import { getRouteApi, useNavigate } from "@tanstack/react-router";
import type { SessionName } from "../api/queries.ts";
import type { FollowedRun } from "../api/run-follower.ts";
import type { SnapshotMeta, SnapshotPage } from "../api/types.ts";

const route = getRouteApi("/agents/$agent/sessions/$session");

/** From where a session is looked at, and how to look from elsewhere. All of it stands in the address. */
export interface Viewpoint {
  /** The snapshot whose messages and state are shown; none before the first turn has ended. */
  readonly snapshotId: string | undefined;
  readonly snapshot: SnapshotMeta | undefined;
  readonly isAtHead: boolean;
  readonly head: string | undefined;
  /** The snapshot that was marked to be compared with another. */
  readonly marked: string | undefined;
  readonly choose: (snapshotId: string | undefined) => void;
  readonly step: (older: 1 | -1) => void;
  readonly mark: (snapshotId?: string) => void;
  /** Compares a snapshot: with the one that is told, or is marked, or is its parent. */
  readonly diff: (snapshotId?: string, from?: string) => void;
  /** The first other snapshot that goes on from the same one. */
  readonly siblingOf: (snapshotId?: string) => string | undefined;
  readonly openRaw: (snapshotId?: string) => void;
  readonly openTimeline: () => void;
  readonly openPanel: (panel: string) => void;
  readonly showMessage: (index: number) => void;
}

export function useViewpoint(
  { agent, session }: SessionName,
  { tree, run }: { readonly tree: SnapshotPage; readonly run: FollowedRun | undefined },
): Viewpoint {
  const search = route.useSearch();
  const navigate = useNavigate();
  const { snap, mark: marked } = search;
  const { head, snapshots } = tree;
  const byId = new Map(snapshots.map((one) => [one.snapshotId, one]));
  // A run goes on from where it began, whatever is the head by now.
  const current = run?.base === undefined ? head : (run.base ?? undefined);
  const isAtHead = snap === undefined || snap === head || !byId.has(snap);
  const snapshotId = isAtHead ? current : snap;
  const to = "/agents/$agent/sessions/$session";
  const params = { agent, session };
  const choose = (next: string | undefined): void => {
    const { snap: _, msg: _message, ...rest } = search;
    const isElsewhere = next !== undefined && next !== head;
    void navigate({ to, params, search: isElsewhere ? { ...rest, snap: next } : rest });
  };
  return {
    snapshotId,
    snapshot: snapshotId === undefined ? undefined : byId.get(snapshotId),
    isAtHead,
    head,
    marked,
    choose,
    step: (older) => {
      const newest = snapshots.toReversed();
      const at = newest.findIndex((one) => one.snapshotId === snapshotId);
      const next = newest[at + older];
      if (next) choose(next.snapshotId);
    },
    mark: (id = snapshotId) => {
      if (id === undefined) return;
      void navigate({ to, params, search: { ...search, mark: id }, replace: true });
    },
    diff: (id = snapshotId, told) => {
      const target = id === undefined ? undefined : byId.get(id);
      const from = told ?? (marked !== undefined && marked !== id ? marked : target?.parentId);
      if (target === undefined || from === undefined) return;
      void navigate({ to: `${to}/diff`, params, search: { from, to: target.snapshotId } });
    },
    siblingOf: (id = snapshotId) => {
      const parentId = id === undefined ? undefined : byId.get(id)?.parentId;
      if (parentId === undefined) return undefined;
      return snapshots.find((one) => one.parentId === parentId && one.snapshotId !== id)
        ?.snapshotId;
    },
    openRaw: (id = snapshotId) => {
      if (id !== undefined) void navigate({ to: `${to}/raw`, params, search: { snap: id } });
    },
    openTimeline: () =>
      void navigate({
        to: `${to}/timeline`,
        params,
        search: snapshotId === undefined ? {} : { snap: snapshotId },
      }),
    openPanel: (panel) =>
      void navigate({ to, params, search: { ...search, panel }, replace: true }),
    showMessage: (index) => {
      const shown = { ...search, msg: String(index) };
      // Otherwise the router scrolls back to where the list was.
      void navigate({ to, params, search: shown, replace: true, resetScroll: false });
    },
  };
}

/** The snapshots from the root to this one. */
export function pathTo(
  snapshots: readonly SnapshotMeta[],
  snapshotId: string | undefined,
): readonly SnapshotMeta[] {
  const byId = new Map(snapshots.map((one) => [one.snapshotId, one]));
  const path = new Set<SnapshotMeta>();
  let at = snapshotId === undefined ? undefined : byId.get(snapshotId);
  while (at && !path.has(at)) {
    path.add(at);
    at = at.parentId === undefined ? undefined : byId.get(at.parentId);
  }
  return [...path].toReversed();
}
