import type { LocalAgent } from "../../agent/index.ts";
import { TurnkeepError } from "../../protocol/index.ts";
import { defineTalker } from "../define-talker.ts";
import type { DemoParts } from "../demo-parts.ts";
import type { DemoTool } from "../demo-tool.ts";
import { stateOf } from "../json-shape.ts";
import { scriptOf, told } from "../script.ts";

interface Payment {
  readonly to: string;
  readonly euros: number;
  readonly receipt: string;
}

export interface Purse {
  readonly euros: number;
  readonly paid: readonly Payment[];
}

const FREE_HAND = 50;

const state = stateOf<Purse>({
  type: "object",
  required: ["euros", "paid"],
  properties: {
    euros: { type: "number" },
    paid: {
      type: "array",
      items: {
        type: "object",
        required: ["to", "euros", "receipt"],
        properties: {
          to: { type: "string" },
          euros: { type: "number" },
          receipt: { type: "string" },
        },
      },
    },
  },
});

const pay: DemoTool<Purse> = {
  name: "pay",
  description: `Pays somebody from the guest's purse. Above ${FREE_HAND} euros a person is asked first.`,
  input: {
    type: "object",
    required: ["to", "euros"],
    properties: { to: { type: "string" }, euros: { type: "number" } },
  },
  asks: ({ to, euros }) =>
    Number(euros) > FREE_HAND ? `Pay ${String(euros)} euros to ${String(to)}?` : undefined,
  run: async (input, { session, turn }) => {
    const [to, euros] = [String(input["to"]), Number(input["euros"])];
    const left = session.custom()?.euros ?? 0;
    if (euros <= 0)
      throw new TurnkeepError("INVALID_ARGUMENT", "Only more than nothing can be paid.");
    if (euros > left)
      throw new TurnkeepError("FAILED_PRECONDITION", `There are only ${left} euros.`);
    // Written down before and after: a process that takes this turn over does not pay again.
    const receipt = await turn.step({ name: "pay", input: { to, euros } }, ({ idempotencyKey }) =>
      idempotencyKey.slice(-8),
    );
    session.updateCustom((purse) => ({
      euros: purse.euros - euros,
      paid: [...purse.paid, { to, euros, receipt }],
    }));
    return { to, euros, receipt, left: left - euros };
  },
};

/** Shows: a tool that asks a person before it spends money, and pays once whatever happens. */
export function defineCashier({ store, model }: DemoParts): LocalAgent<Purse> {
  return defineTalker<Purse>({
    name: "cashier",
    description: `Pays bills, and asks first when it is more than ${FREE_HAND} euros: approvals and journaled steps.`,
    store,
    model,
    state,
    initialState: { euros: 500, paid: [] },
    tools: [pay],
    system: ({ euros, paid }) =>
      `You keep the guest's purse: ${euros} euros are left, ${paid.length} bills were paid. Pay with the tool, and only what the guest names.`,
    script: scriptOf(
      [
        {
          when: /\b(?:pay|give|send) (\d+(?:\.\d+)?)(?: euros?| €|€)? (?:to|for) (.+?)[.!]?$/i,
          say: ([, euros, to = ""]) => [{ tool: "pay", input: { to, euros: Number(euros) } }],
        },
        {
          when: /\b(?:pay|give|send) (?!\d)(.+?) (\d+(?:\.\d+)?)(?: euros?| €|€)?[.!]?$/i,
          say: ([, to = "", euros]) => [{ tool: "pay", input: { to, euros: Number(euros) } }],
        },
        { when: /\b(?:balance|purse|left|how much)\b/i, say: (_, { system }) => system },
      ],
      {
        after: (results) => results.map(({ output }) => wordsFor(output)).join(" "),
        hint: 'Try "pay the baker 20", "pay the shipyard 300", or "how much is left?".',
      },
    ),
  });
}

function wordsFor(output: Parameters<typeof told>[0]): string {
  const receipt = told(output, "receipt");
  if (receipt === "")
    return `Not paid. ${told(output, "error") || told(output, "declined") || "You said no."}`;
  return `Paid ${told(output, "euros")} euros to ${told(output, "to")}, receipt ${receipt}. ${told(output, "left")} are left.`;
}
