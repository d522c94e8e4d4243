/**
 * How every function runs. Names are those of the schema, whatever path the caller has. Queries are planned once for a connection and
 * not for each call, which would take longer than to run them. A plan made while the tables were small must not read them whole when
 * they are large: hence indexes only, and in some queries `offset 0`, which keeps Postgres from reading all rows of a session first
 * and comparing them with those asked for afterwards.
 */
export const AS_HERE = `language plpgsql
  set search_path from current
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off`;

/**
 * Writes are functions because a statement looks at the data of the moment it began, also after it has waited for a lock: one that
 * waited for an append would not drop what that added. In a function every statement looks anew, so whatever comes after the lock sees
 * all that was written before it. It is one round trip, too, and nothing is locked while data is still on its way.
 *
 * Whoever writes to a session locks its record first, one writer at a time; that is all the locking there is, and READ COMMITTED is
 * enough. The version or the fence is compared again once the lock is had.
 */
export const FIRST_WRITES: string = `
create function commit_session(
  given_tenant text,
  given_agent text,
  given_name text,
  expected bigint,
  new_epoch bigint,
  new_active text,
  new_busy boolean,
  new_due double precision,
  new_sweep double precision,
  new_updated double precision,
  new_deleted double precision,
  new_record text,
  put_keys text[],
  put_short boolean[],
  put_values text[],
  drop_from text[],
  drop_to text[],
  drop_all boolean,
  channel text,
  news text
) returns boolean ${AS_HERE} as $body$
declare
  number bigint;
begin
  perform set_config('turnkeep.tenant', given_tenant, true);
  if expected = 0 and new_record is null then
    return not exists (
      select from sessions
      where tenant = given_tenant and agent = given_agent and name = given_name
    );
  elsif expected = 0 then
    insert into sessions (
      tenant, agent, name, version, epoch, active_snapshot, is_busy, due_at, sweep_at, updated_at, deleted_at, record
    ) values (
      given_tenant, given_agent, given_name, 1, new_epoch, new_active, new_busy, new_due, new_sweep, new_updated,
      new_deleted, new_record
    ) on conflict do nothing returning session into number;
  else
    select session into number from sessions
    where tenant = given_tenant and agent = given_agent and name = given_name and version = expected
    for no key update;
  end if;
  if number is null or exists (
    select from unnest(put_keys) as given (key)
    cross join lateral (
      select from session_rows
      where tenant = given_tenant and session = number and key = given.key offset 0
    ) as present
  ) then
    return false;
  end if;
  if new_record is null then
    delete from sessions where tenant = given_tenant and agent = given_agent and name = given_name;
  elsif expected > 0 then
    update sessions set
      version = expected + 1, epoch = new_epoch, active_snapshot = new_active, is_busy = new_busy, due_at = new_due,
      sweep_at = new_sweep, updated_at = new_updated, deleted_at = new_deleted, record = new_record
    where tenant = given_tenant and agent = given_agent and name = given_name;
  end if;
  if new_record is null or drop_all then
    delete from session_rows where tenant = given_tenant and session = number;
  else
    for place in 1 .. cardinality(drop_from) loop
      delete from session_rows
      where tenant = given_tenant and session = number and key between drop_from[place] and drop_to[place];
    end loop;
  end if;
  if new_record is not null then
    insert into session_rows (tenant, session, key, is_short, value, packed)
    select given_tenant, number, given.key, given.is_short, plain_of(given.value), packed_of(given.value)
    from unnest(put_keys, put_short, put_values) as given (key, is_short, value);
  end if;
  if channel is not null then
    perform pg_notify(channel, news);
  end if;
  return true;
end $body$;

create function append_rows(
  given_tenants text[],
  given_agents text[],
  given_names text[],
  fence_epochs bigint[],
  fence_snapshots text[],
  owners integer[],
  row_keys text[],
  row_short boolean[],
  row_values text[],
  channel text,
  news text[]
) returns boolean[] ${AS_HERE} as $body$
declare
  outcomes boolean[] := '{}';
  number bigint;
begin
  for place in 1 .. cardinality(given_tenants) loop
    perform set_config('turnkeep.tenant', given_tenants[place], true);
    select session into number from sessions
    where tenant = given_tenants[place] and agent = given_agents[place] and name = given_names[place]
      and epoch = fence_epochs[place] and active_snapshot = fence_snapshots[place]
    for no key update;
    if number is null or exists (
      select from unnest(owners, row_keys, row_values) as given (owner, key, value)
      cross join lateral (
        select value, packed from session_rows
        where tenant = given_tenants[place] and session = number and key = given.key offset 0
      ) as present
      where given.owner = place and (present.value, present.packed)
        is distinct from (plain_of(given.value), packed_of(given.value))
    ) then
      outcomes := outcomes || false;
      continue;
    end if;
    insert into session_rows (tenant, session, key, is_short, value, packed)
    select given_tenants[place], number, given.key, given.is_short, plain_of(given.value), packed_of(given.value)
    from unnest(owners, row_keys, row_short, row_values) as given (owner, key, is_short, value)
    where given.owner = place
    on conflict do nothing;
    if channel is not null then
      perform pg_notify(channel, news[place]);
    end if;
    outcomes := outcomes || true;
  end loop;
  return outcomes;
end $body$;
`;
