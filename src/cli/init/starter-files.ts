/** The files of a new project, by their paths. */
export function starterFiles({
  name,
  spec,
}: {
  readonly name: string;
  readonly spec: string;
}): Readonly<Record<string, string>> {
  return {
    "package.json": manifestOf(name, spec),
    "tsconfig.json": TSCONFIG,
    ".gitignore": GITIGNORE,
    "README.md": readmeOf(name),
    "src/keeper.ts": KEEPER,
    "src/agents.ts": AGENTS,
    "src/server.ts": SERVER,
    "test/keeper.test.ts": TEST,
  };
}

// Conversations and keys do not belong into a repository.
const GITIGNORE = `node_modules/
.turnkeep/
*.db
*.db-*
.env
.env.*
!.env.example
`;

function manifestOf(name: string, spec: string): string {
  const manifest = {
    name,
    private: true,
    type: "module",
    scripts: {
      dev: "turnkeep dev src/agents.ts",
      chat: "turnkeep chat keeper --module src/agents.ts",
      start: "tsx src/server.ts",
      test: "tsc && node --import tsx --test test/keeper.test.ts",
    },
    dependencies: { turnkeep: spec, zod: "^4.0.0" },
    devDependencies: { "@types/node": "^20.19.0", tsx: "^4.20.0", typescript: ">=5.9" },
    engines: { node: ">=20.19" },
  };
  return `${JSON.stringify(manifest, undefined, 2)}\n`;
}

const TSCONFIG = `{
  "compilerOptions": {
    "target": "ES2022",
    "module": "NodeNext",
    "types": ["node"],
    "strict": true,
    "noUncheckedIndexedAccess": true,
    "allowImportingTsExtensions": true,
    "skipLibCheck": true,
    "noEmit": true
  },
  "include": ["src", "test"]
}
`;

function readmeOf(name: string): string {
  return `# ${name}

    npm test          # types and tests
    npm run dev       # serves src/agents.ts, starts again when it changes
    npm run chat      # talk to the agent in the terminal
    npm start         # the server, as you would deploy it

- \`src/keeper.ts\` is the agent: its state and what it does in a turn.
- \`src/agents.ts\` says which agents there are, and where their sessions are kept.
- \`src/server.ts\` serves them, and decides who may call.
- \`test/keeper.test.ts\` talks to the agent as a user would.
`;
}

const KEEPER = `import { defineCustomAgent, type LocalAgent, type SessionStore } from "turnkeep";
import { z } from "zod";

/** What the agent keeps besides the messages. Its type is checked wherever the state is used. */
const listSchema = z.object({ items: z.array(z.string()) });
export type List = z.infer<typeof listSchema>;

/** An agent that keeps a list. Where it finds its words, you would ask a model. */
export function defineKeeper(store: SessionStore): LocalAgent<List> {
  return defineCustomAgent(
    { name: "keeper", description: "Keeps a list.", state: listSchema, initialState: { items: [] }, store },
    async ({ session, respond }) => {
      // Once for each input; its message is in the history already.
      await session.run(({ message }) => {
        const said = (message?.content ?? []).map(({ text = "" }) => text).join("").trim();
        const item = /^add (.+)$/i.exec(said)?.[1];
        // What changes is streamed to clients, and kept when the turn ends.
        if (item !== undefined) session.updateCustom((list) => void list.items.push(item));
        const { items } = session.custom();
        const text = items.length === 0 ? 'Nothing yet. Say "add tea".' : \`You have \${items.join(", ")}.\`;
        respond.text(text);
        session.addMessages({ role: "model", content: [{ text }] });
        return { finishReason: "stop" };
      });
      return session.result();
    },
  );
}
`;

const AGENTS = `import { openSqliteStore } from "turnkeep/stores/sqlite";
import { defineKeeper } from "./keeper.ts";

const store = await openSqliteStore("sessions.db");

export const agents = [defineKeeper(store)];
`;

const SERVER = `import { closeOnSignals, serve } from "turnkeep/node";
import { agents } from "./agents.ts";

const server = await serve(agents, {
  port: Number(process.env.PORT ?? 8080),
  // Who asks? Look at the request's headers, and answer with the tenant and the person; undefined turns the caller away.
  // Until there is a sign-in, everybody on this machine is let in.
  auth: "public",
});
// After SIGTERM or Ctrl-C, running turns have ten seconds to finish.
closeOnSignals(server, { gracePeriodMs: 10_000 });
console.log(\`\${server.url}/agents\`);
`;

const TEST = `import assert from "node:assert/strict";
import { test } from "node:test";
import { MemoryStore } from "turnkeep/stores/memory";
import { defineKeeper } from "../src/keeper.ts";

test("the keeper keeps a list, and every version of it", async () => {
  const keeper = defineKeeper(new MemoryStore());
  const first = await keeper.runText("add tea", { sessionId: "ada" });
  assert.equal(first.text, "You have tea.");
  await keeper.runText("add lemons", { sessionId: "ada" });
  const { state } = await keeper.getLatestSnapshot("ada");
  assert.deepEqual(state?.custom?.items, ["tea", "lemons"]);

  // Back to where there was only tea, and on from there.
  const other = await keeper.runText("add milk", { snapshotId: first.snapshotId! });
  assert.equal(other.text, "You have tea, milk.");
  await keeper.close();
});
`;
