import process from "node:process";
import { Pool } from "pg";
import { openPostgresStore } from "turnkeep/stores/postgres";
import { talkOver } from "./stores/talk-over.ts";

// Sessions in Postgres: set DATABASE_URL to say where.
const connectionString = process.env["DATABASE_URL"] ?? "postgres://localhost/postgres";

const store = await openPostgresStore({ connectionString });
await talkOver(store);
await store.close();

// With a pool of your own, which stays open when the store is closed.
const pool = new Pool({ connectionString, max: 10, keepAlive: true });
const onPool = await openPostgresStore({ pool, schema: "support" });
await talkOver(onPool);
await onPool.close();
await pool.end();
