/** A fault planted in the source, to see whether the tests are awake. */
export interface Mutant {
  readonly name: string;
  /** Relative to `src`. */
  readonly file: string;
  /** Must stand in the file exactly once. */
  readonly from: string;
  readonly to: string;
  /** Which other guard holds when nothing notices; explained in SPEC.md. Absent: it must be caught. */
  readonly survivesBy?: string;
}

export const MUTANTS: readonly Mutant[] = [
  {
    name: "finish does not look at the epoch",
    file: "ledger/claim.ts",
    from: " && active.epoch === claim.epoch",
    to: "",
  },
  {
    name: "finish ignores an abort",
    file: "ledger/steps/finish.ts",
    from: "if (active.stopping) {",
    to: "if (active.attempt < 0) {",
  },
  {
    name: "a take-over does not raise the epoch",
    file: "ledger/steps/claim-turn.ts",
    from: "const epoch = record.epoch + 1;",
    to: "const epoch = attempt > 1 ? record.epoch : record.epoch + 1;",
  },
  {
    name: "an abort does not raise the epoch",
    file: "ledger/steps/stop-turns.ts",
    from: "epoch: stopsActive ? record.epoch + 1 : record.epoch,",
    to: "epoch: record.epoch,",
  },
  {
    name: "a session is edited while a turn runs",
    file: "ledger/steps/branch-off.ts",
    from: "if (isBusy) return",
    to: "if (record.rev < 0) return",
  },
  {
    name: "an edit overwrites the branch it leaves",
    file: "ledger/steps/branch-off.ts",
    from: "next: next === undefined || view.rows.has(next) ? undefined : next,",
    to: "next,",
  },
  {
    name: "a run ends although a turn of it waits",
    file: "ledger/steps/finish.ts",
    from: "const endsRun = request.endsRun && !isAwaited(view, request);",
    to: "const endsRun = request.endsRun;",
  },
  {
    name: "a claim does not wait for the lease",
    file: "ledger/steps/claim-turn.ts",
    from: "if (view.now < active.leaseUntil) return busy;",
    to: "if (view.now < 0) return busy;",
    survivesBy: "the epoch: safety does not rest on the lease",
  },
  {
    name: "a take-over leaves no mark in the log",
    file: "ledger/steps/claim-turn.ts",
    from: "change: { record: granted.record, put: [row] },",
    to: "change: { record: granted.record },",
  },
  {
    name: "a repeated request is not recognised",
    file: "ledger/steps/accept.ts",
    from: "if (request === undefined || earlier === undefined) return undefined;",
    to: "if (request !== undefined || earlier === undefined) return undefined;",
  },
  {
    name: "erasing keeps the rows",
    file: "ledger/steps/remove-session.ts",
    from: ', drop: "all" }',
    to: " }",
  },
  {
    name: "erasing does not raise the epoch",
    file: "ledger/steps/remove-session.ts",
    from: "epoch: record.epoch + 1,",
    to: "epoch: 0,",
  },
  {
    name: "interrupting forgets what waits",
    file: "ledger/steps/accept.ts",
    from: "const turns = openTurns(record);",
    to: "const turns = openTurns(record).slice(0, 1);",
    survivesBy:
      "nothing is lost: what waits goes on waiting, a broken policy that the meeting-turns test catches",
  },
  {
    name: "giving up leaves the run open",
    file: "ledger/steps/claim-turn.ts",
    from: '...closeRun(view, { runId, status: "failed", reason: "attempts-exhausted", events }),',
    to: "",
  },
  {
    name: "attempts are not counted",
    file: "ledger/steps/claim-turn.ts",
    from: "turn.handedOver ? turn.attempt : turn.attempt + 1;",
    to: "turn.attempt;",
  },
  {
    name: "a turn that is given up is not counted",
    file: "ledger/steps/release.ts",
    from: 'how === "handed-over" ? { handedOver',
    to: 'how !== "freed" ? { handedOver',
  },
  {
    name: "a lost answer counts as written",
    file: "ledger/run-step.ts",
    from: "if (witnesses.length === 0) return false;",
    to: "return true;",
  },
  {
    name: "an answer is given from what was seen long ago",
    file: "ledger/run-step.ts",
    from: "return decision.change && { view, decision };",
    to: "return { view, decision };",
  },
  {
    name: "a take-over is not witnessed by its own claim",
    file: "ledger/steps/claim-turn.ts",
    from: "    claimId: request.claimId,\n  };",
    to: '    claimId: "",\n  };',
  },
  {
    name: "a branch overwrites its sibling's place",
    file: "ledger/steps/finish.ts",
    from: "const free = next === undefined || view.rows.has(next) ? undefined : next;",
    to: "const free = next;",
  },
  {
    name: "the head stays behind",
    file: "ledger/steps/finish.ts",
    from: "head: snapshot.snapshotId,",
    to: "head: record.head ?? snapshot.snapshotId,",
  },
  {
    name: "snapshots pushed out of the last ones stay",
    file: "ledger/steps/keep-last.ts",
    from: 'drop: pushedOut.filter((id) => id !== "" && !isHeld(id)).flatMap(rowsOf),',
    to: "drop: [],",
  },
  {
    name: "a branch point is pushed out",
    file: "ledger/steps/keep-last.ts",
    from: "named.has(id) || forked.has(id);",
    to: "named.has(id);",
  },
  {
    name: "a pinned snapshot is pushed out",
    file: "ledger/steps/prune-snapshots.ts",
    from: "...record.pins, ",
    to: "",
  },
  {
    name: "what a running turn has saved is pruned under it",
    file: "ledger/steps/prune-snapshots.ts",
    from: "[head, active?.lastRound, ...",
    to: "[head, ...",
    survivesBy:
      "test/ledger/saved-rounds.test.ts: the model's turns are seldom pushed out in between",
  },
  {
    name: "a snapshot inside of a turn moves the head",
    file: "ledger/steps/save-round.ts",
    from: "rev: snapshot.rev,",
    to: "rev: snapshot.rev, head: snapshotId,",
  },
  {
    name: "an aborted turn saves one more snapshot",
    file: "ledger/steps/save-round.ts",
    from: "if (record === null || active === null || active.stopping) {",
    to: "if (record === null || active === null) {",
  },
  {
    name: "a turn that was taken over saves one more snapshot",
    file: "ledger/steps/save-round.ts",
    from: "const active = heldBy(record, claim);",
    to: "const active = record?.active ?? null;",
  },
  {
    name: "a snapshot inside of a turn overwrites another's place",
    file: "ledger/steps/save-round.ts",
    from: "const free = next === undefined || view.rows.has(next) ? undefined : next;",
    to: "const free = next;",
  },
  {
    name: "a take-over forgets what the turn saved",
    file: "ledger/steps/claim-turn.ts",
    from: 'rounds: "rounds" in turn ? turn.rounds : undefined,',
    to: "rounds: undefined,",
  },
  {
    name: "what an aborted turn shows is pruned",
    file: "ledger/steps/prune-snapshots.ts",
    from: "expired.has(snapshot) && !shown.has(snapshot));",
    to: "expired.has(snapshot));",
  },
  {
    name: "pruning drops deltas that are used",
    file: "ledger/steps/prune-snapshots.ts",
    from: "if (from <= last) from = afterKey(last);",
    to: "if (from <= last) from = afterKey(first);",
  },
  {
    name: "pruning drops what a turn has finished",
    file: "ledger/steps/prune-snapshots.ts",
    from: "const used = [...kept, ...turns]",
    to: "const used = [...kept, ...turns.slice(0, 0)]",
    survivesBy:
      "test/ledger/advancing.test.ts: in the model little is pruned between two inputs of a turn",
  },
  {
    name: "a turn that is not saved takes along what it saved on the way",
    file: "ledger/steps/save-round.ts",
    from: "rows: progress.rows.filter((row) => !isShared(row))",
    to: "rows: progress.rows.filter((row) => !isShared(row) || row)",
  },
  {
    name: "a turn that is not saved becomes the head",
    file: "ledger/steps/finish.ts",
    from: "      record: changedRecord(record, {\n        updatedAt: view.now,\n        active: null,",
    to: "      record: changedRecord(record, {\n        head: snapshotId,\n        updatedAt: view.now,\n        active: null,",
  },
  {
    name: "a turn that is not saved leaves no end",
    file: "ledger/steps/finish.ts",
    from: "put: [row, ...closingRows(",
    to: "put: [...closingRows(",
  },
  {
    name: "a turn that is not saved names a snapshot",
    file: "ledger/steps/finish.ts",
    from: 'snapshotId: saved === "turn" ? snapshotId : undefined,',
    to: "snapshotId,",
  },
  {
    name: "an aborted turn forgets the inputs it has finished",
    file: "ledger/steps/stop-turns.ts",
    from: "      ...contentOfProgress(turn.progress),\n",
    to: "",
  },
  {
    name: "a turn that is taken over forgets the inputs it has finished",
    file: "ledger/steps/claim-turn.ts",
    from: "    progress: turn.progress,\n",
    to: "",
  },
  {
    name: "an input of a detached turn has no turnEnd of its own",
    file: "ledger/steps/advance.ts",
    from: "eventRow(runId, nextSeq, [...events, turnEnd]);",
    to: 'eventRow(runId, nextSeq, [...events, { type: "step" }]);',
  },
  {
    name: "an aborted turn ends only one of its inputs",
    file: "ledger/steps/close-run.ts",
    from: "  const numbers = inputNumbers(turn);",
    to: "  const numbers = inputNumbers(turn).slice(-1);",
  },
  {
    name: "what a turn had finished is left behind when it is not saved",
    file: "ledger/steps/finish.ts",
    from: "drop: [...inputsOf(active), ...(active.progress?.rows ?? []).map(exactly)],",
    to: "drop: inputsOf(active),",
  },
  {
    name: "what a run saves as it ends takes the place of what others added",
    file: "ledger/steps/end-run.ts",
    from: "if (record.head !== rest.head) return",
    to: "if (record.rev < 0) return",
  },
  {
    name: "a run saves something as it ends while a turn runs",
    file: "ledger/steps/end-run.ts",
    from: 'if (isBusy) return { answer: { kind: "busy" } };',
    to: "",
  },
  {
    name: "an aborted run saves something as it ends",
    file: "ledger/steps/end-run.ts",
    from: "(rest === undefined || end.reason !== undefined);",
    to: "rest === undefined;",
  },
  {
    name: "memory: a commit does not compare versions",
    file: "stores/memory/memory-store.ts",
    from: "session.version !== commit.expect || ",
    to: "",
  },
  {
    name: "memory: a commit overwrites rows",
    file: "stores/memory-session.ts",
    from: "if (put.some((row) => this.rows.has(row.key))) return true;",
    to: "",
  },
  {
    name: "memory: an append is not fenced",
    file: "stores/memory-session.ts",
    from: 'if (!isHeld) return "fenced";',
    to: "",
  },
  {
    name: "memory: an append looks at the turn only",
    file: "stores/memory-session.ts",
    from: "record.epoch === fence.epoch && ",
    to: "",
  },
  {
    name: "sqlite: an append looks at the turn only",
    file: "stores/sqlite/sqlite-statements.ts",
    from: " and epoch = ? and active_snapshot = ?",
    to: " and ? >= 0 and active_snapshot = ?",
  },
  {
    name: "sqlite: an update does not compare versions",
    file: "stores/sqlite/sqlite-statements.ts",
    from: "where ${SESSION} and version = ? returning session`,\n  delete:",
    to: "where ${SESSION} and ? > 0 returning session`,\n  delete:",
  },
  {
    name: "sqlite: a conflict undoes nothing",
    file: "stores/sqlite/sqlite-write-queue.ts",
    from: 'if (verdict !== "ok") this.#database.exec("rollback to alone");',
    to: "",
  },
  {
    name: "sqlite: a lookup forgets the tenant",
    file: "stores/sqlite/sqlite-statements.ts",
    from: 'const SESSION = "tenant = ? and agent = ? and name = ?";',
    to: 'const SESSION = "? is not null and agent = ? and name = ?";',
  },
  {
    name: "sqlite: ranges leave out their first row",
    file: "stores/sqlite/sqlite-statements.ts",
    from: "between: `select key, value from ${table} where session = ? and key between ? and ? order by key limit ?`,",
    to: "between: `select key, value from ${table} where session = ? and key > ? and key <= ? order by key limit ?`,",
  },
];
