import { FIRST_READS } from "./first-reads.ts";
import { FIRST_TABLES } from "./first-tables.ts";
import { FIRST_WRITES } from "./first-writes.ts";

/**
 * Every schema there ever was, as steps from the one before. Only ever add to the end. A function that is here already keeps its
 * meaning, since processes of the version before may still call it: another meaning gets another name.
 */
export const MIGRATIONS: readonly string[] = [`${FIRST_TABLES}${FIRST_WRITES}${FIRST_READS}`];
