// A program of somebody's own: a server that closes on signals, and Genkit imported before or after that.
import process from "node:process";
import { closeOnSignals, serve } from "turnkeep/node";
import { agents, importGenkit } from "./stepper.mjs";

const server = await serve(agents, { auth: "public" });
closeOnSignals(server, { gracePeriodMs: 60_000 });
await importGenkit();
process.stdout.write(`ready: ${server.url}\n`);
