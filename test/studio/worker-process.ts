import process from "node:process";
import { openSqliteStore } from "turnkeep/stores/sqlite";
import { definePlanner, HASTY } from "./planner.ts";
import { letPass } from "./turnstile.ts";

// A process that begins a turn and never ends it, or one that ends what others began.
const [database = "", sessionId = "", part = ""] = process.argv.slice(2);
const planner = definePlanner(await openSqliteStore(database), "planner", HASTY);
setInterval(() => {}, 1000);
if (part === "begin") await planner.runText("slow killed", { sessionId });
else letPass("killed");
