import { AS_HERE } from "./first-writes.ts";

/**
 * Reads are functions because the tenant must be set, for row-level security, before the query in them begins; that one query is one
 * consistent look. The output columns share their names with those of the tables: hence `use_column`.
 *
 * `load_session` reads ranges from inside JSON. Escapes are blanked out first, since Postgres cannot parse some of those that JSON has;
 * keys hold none.
 */
export const FIRST_READS: string = String.raw`
create function store_now() returns double precision language sql volatile
  return floor(extract(epoch from clock_timestamp()) * 1000);

create function load_session(
  given_tenant text,
  given_agent text,
  given_name text,
  range_from text[],
  range_to text[],
  tail_from text[],
  tail_to text[],
  chain_of_head boolean,
  chain_of_row text
) returns table (part text, place text, key text, value text) ${AS_HERE} as $body$
#variable_conflict use_column
begin
  perform set_config('turnkeep.tenant', given_tenant, true);
  return query
  with head as materialized (
    select session, version, record from sessions
    where tenant = given_tenant and agent = given_agent and name = given_name
  ), source (json) as materialized (
    select record from head where chain_of_head
    union all
    select value from session_rows
    where tenant = given_tenant and session = (select session from head) and key = chain_of_row
  ), chain (links) as materialized (
    select regexp_replace(json, '\\(u[0-9a-fA-F]{4}|.)', '_', 'g')::json -> 'chain' from source
  ), wanted (lowest, highest) as materialized (
    select lowest, highest from unnest(range_from, range_to) as given (lowest, highest)
    union all
    select link ->> 0, link ->> 1 from chain, json_array_elements(
      case when json_typeof(links) = 'array' then links else '[]' end
    ) as link
  )
  select 'head', head.version::text, store_now()::text, head.record
  from (values (true)) as always left join head on true
  union all
  select 'row', null, present.key, value_of(present.value, present.packed)
  from head cross join wanted cross join lateral (
    select key, value, packed from session_rows
    where tenant = given_tenant and session = head.session and key between wanted.lowest and wanted.highest
    offset 0
  ) as present
  union all
  select 'tail', given.lowest, last.key, value_of(last.value, last.packed)
  from head cross join unnest(tail_from, tail_to) as given (lowest, highest)
  cross join lateral (
    select key, value, packed from session_rows
    where tenant = given_tenant and session = head.session and key between given.lowest and given.highest
    order by key desc limit 1
  ) as last;
end $body$;

create function read_range(
  given_tenant text,
  given_agent text,
  given_name text,
  lowest text,
  highest text,
  floor_within text,
  max_rows bigint,
  max_bytes bigint
) returns table (key text, value text) ${AS_HERE} as $body$
#variable_conflict use_column
begin
  perform set_config('turnkeep.tenant', given_tenant, true);
  return query
  with head as materialized (
    select session from sessions
    where tenant = given_tenant and agent = given_agent and name = given_name
  ), start (key) as materialized (
    select coalesce(max(last.key), lowest) from (
      select key from session_rows
      where tenant = given_tenant and session = (select session from head) and key between floor_within and lowest
      order by key desc limit 1
    ) as last
  ), bounded as (
    select key, value, packed,
      sum(coalesce(octet_length(value), octet_length(packed))) over (order by key rows unbounded preceding) as bytes,
      row_number() over (order by key) as place
    from (
      select key, value, packed from session_rows
      where tenant = given_tenant and session = (select session from head)
        and key between (select key from start) and highest
      order by key limit max_rows
    ) as first
  )
  select key, value_of(value, packed) from bounded where bytes <= max_bytes or place = 1 order by key;
end $body$;

create function list_sessions(
  given_tenant text,
  after_updated double precision,
  after_agent text,
  after_name text,
  only_agent text,
  only_busy boolean,
  max_rows bigint
) returns table (agent text, name text, updated_at double precision, record text) ${AS_HERE} as $body$
#variable_conflict use_column
begin
  perform set_config('turnkeep.tenant', given_tenant, true);
  return query
  select agent, name, updated_at, record from sessions
  where tenant = given_tenant and deleted_at is null
    and (updated_at, agent, name) < (after_updated, after_agent, after_name)
    and (only_agent is null or agent = only_agent) and (only_busy is null or is_busy = only_busy)
  order by updated_at desc, agent desc, name desc limit max_rows;
end $body$;

create function due_sessions(
  is_sweep boolean,
  given_now double precision,
  only_agents text[],
  max_rows bigint
) returns table (tenant text, agent text, name text) ${AS_HERE} as $body$
#variable_conflict use_column
declare
  present double precision := coalesce(given_now, store_now());
begin
  perform set_config('turnkeep.scan', 'due', true);
  if is_sweep then
    return query select tenant, agent, name from sessions
    where sweep_at <= present and (only_agents is null or agent = any(only_agents))
    order by sweep_at limit max_rows;
  else
    return query select tenant, agent, name from sessions
    where due_at <= present and (only_agents is null or agent = any(only_agents))
    order by due_at limit max_rows;
  end if;
  perform set_config('turnkeep.scan', '', true);
end $body$;
`;
