/**
 * Every schema there ever was, as steps from the one before. Only ever add to the end.
 *
 * Lasting rows have a table of their own, in the order they were written: nothing is swept from between them, so its
 * pages stay full. Ordered by (session, key) they would split pages wherever a session grows and leave them half empty.
 * Short-lived rows spared themselves the second tree at first. But a search in a table without row ids reads every row that it
 * compares with to its end, and a batch of events may be as long as a hundred pages.
 */
export const MIGRATIONS: readonly string[] = [
  `
  create table turnkeep_sessions (
    session integer primary key,
    tenant text not null,
    agent text not null,
    name text not null,
    version integer not null,
    epoch integer not null,
    active_snapshot text,
    is_busy integer not null,
    due_at integer,
    sweep_at integer,
    updated_at integer not null,
    deleted_at integer,
    record text not null,
    unique (tenant, agent, name)
  );
  create index turnkeep_sessions_due on turnkeep_sessions (due_at) where due_at is not null;
  create index turnkeep_sessions_sweep on turnkeep_sessions (sweep_at) where sweep_at is not null;
  create index turnkeep_sessions_list on turnkeep_sessions (tenant, updated_at, agent, name)
    where deleted_at is null;

  create table turnkeep_lasting_rows (
    id integer primary key,
    session integer not null,
    key text not null,
    value text not null
  );
  create unique index turnkeep_lasting_rows_key on turnkeep_lasting_rows (session, key);

  create table turnkeep_short_rows (
    session integer not null,
    key text not null,
    value text not null,
    primary key (session, key)
  ) without rowid;
  `,
  `
  alter table turnkeep_short_rows rename to turnkeep_ordered_rows;
  create table turnkeep_short_rows (
    id integer primary key,
    session integer not null,
    key text not null,
    value text not null
  );
  create unique index turnkeep_short_rows_key on turnkeep_short_rows (session, key);
  insert into turnkeep_short_rows (session, key, value)
    select session, key, value from turnkeep_ordered_rows;
  drop table turnkeep_ordered_rows;
  `,
];
