/** Every statement of the store, once it is open. The functions they call carry the tenant in every query. */
export interface PostgresStatements {
  readonly load: string;
  readonly range: string;
  readonly list: string;
  readonly due: string;
  readonly commit: string;
  readonly append: string;
}

/**
 * Without names, since a prepared statement belongs to a connection, which behind a pooler is another one each time. Little is lost:
 * what costs is planned inside the functions, where Postgres keeps it.
 */
export function statementsFor(schema: string): PostgresStatements {
  return {
    load: `select * from "${schema}".load_session(${parameters(9)})`,
    range: `select * from "${schema}".read_range(${parameters(8)})`,
    list: `select * from "${schema}".list_sessions(${parameters(7)})`,
    due: `select * from "${schema}".due_sessions(${parameters(4)})`,
    commit: `select "${schema}".commit_session(${parameters(20)})::text as answer`,
    append: `select array_to_json("${schema}".append_rows(${parameters(11)}))::text as answer`,
  };
}

function parameters(count: number): string {
  return Array.from({ length: count }, (_, index) => `$${index + 1}`).join(", ");
}
