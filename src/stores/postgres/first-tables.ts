/**
 * The tenant leads every key and index, except those of the two due times: nobody but `due_sessions` uses them, and it asks for all
 * tenants. Row tables are reached by the number of a session, and that by a lookup that names the tenant.
 *
 * Short-lived rows have a partition of their own, so that sweeping them leaves no holes between lasting ones. Space is left on the
 * pages of `sessions` for the next version of a record, which most often replaces the last one there without any vacuum.
 *
 * Values stay on the page of their row as long as they fit on it. Cut into pieces of 2 KB, as Postgres does unless told, those that are
 * slightly larger leave a quarter of every page empty. What arrives packed, with a mark before it, is kept as bytes: a third less than
 * as text, which is how it travels.
 *
 * The policies count only once row-level security is switched on. `turnkeep.tenant` is set for one transaction by whatever reads or
 * writes for a tenant, and so is `turnkeep.scan` by `due_sessions`. Without either a query sees nothing.
 */
export const FIRST_TABLES = `
create table sessions (
  session bigint generated always as identity,
  tenant text collate "C" not null,
  agent text collate "C" not null,
  name text collate "C" not null,
  version bigint not null,
  epoch bigint not null,
  active_snapshot text collate "C",
  is_busy boolean not null,
  due_at double precision,
  sweep_at double precision,
  updated_at double precision not null,
  deleted_at double precision,
  record text not null,
  primary key (tenant, agent, name)
) with (fillfactor = 70);
create index sessions_list on sessions (tenant, updated_at, agent, name) where deleted_at is null;
create index sessions_due on sessions (due_at) where due_at is not null;
create index sessions_sweep on sessions (sweep_at) where sweep_at is not null;

create table session_rows (
  session bigint not null,
  is_short boolean not null,
  tenant text collate "C" not null,
  key text collate "C" not null,
  value text,
  packed bytea,
  primary key (tenant, session, key, is_short)
) partition by list (is_short);
create table lasting_rows partition of session_rows for values in (false);
create table short_rows partition of session_rows for values in (true);
alter table lasting_rows alter value set storage main, alter packed set storage main;
alter table short_rows alter value set storage main, alter packed set storage main;

create function plain_of(given text) returns text language sql immutable
  return case when given not like '~%' then given end;
create function packed_of(given text) returns bytea language sql immutable
  return case when given like '~%' then decode(substr(given, 2), 'base64') end;
create function value_of(plain text, packed bytea) returns text language sql immutable
  return coalesce(plain, '~' || encode(packed, 'base64'));

create policy of_tenant on sessions using (tenant = current_setting('turnkeep.tenant', true));
create policy of_due_sessions on sessions for select
  using (current_setting('turnkeep.scan', true) = 'due');
create policy of_tenant on session_rows using (tenant = current_setting('turnkeep.tenant', true));
create policy of_tenant on lasting_rows using (tenant = current_setting('turnkeep.tenant', true));
create policy of_tenant on short_rows using (tenant = current_setting('turnkeep.tenant', true));
`;
