import type { LocalAgent } from "../../agent/index.ts";
import { defineTalker } from "../define-talker.ts";
import type { DemoParts } from "../demo-parts.ts";
import type { DemoTool } from "../demo-tool.ts";
import { stateOf } from "../json-shape.ts";
import { scriptOf, told } from "../script.ts";
import { paintPicture } from "./paint-picture.ts";

export interface Desk {
  readonly written: number;
}

const state = stateOf<Desk>({
  type: "object",
  required: ["written"],
  properties: { written: { type: "integer" } },
});

const TOOLS: readonly DemoTool<Desk>[] = [
  {
    name: "write",
    description: "Writes a page in Markdown. One of the same name is replaced.",
    input: {
      type: "object",
      required: ["name", "text"],
      properties: {
        name: { type: "string", description: "such as card.md" },
        text: { type: "string" },
      },
    },
    run: ({ name, text }, { session, respond }) => {
      respond.artifact({
        name: String(name),
        parts: [{ text: String(text) }],
        metadata: { contentType: "text/markdown" },
      });
      session.updateCustom((desk) => ({ written: desk.written + 1 }));
      return { wrote: String(name) };
    },
  },
  {
    name: "paint",
    description: "Paints a small picture of something, in a style of its own.",
    input: {
      type: "object",
      required: ["name", "subject"],
      properties: {
        name: { type: "string", description: "such as card.svg" },
        subject: { type: "string" },
      },
    },
    run: ({ name, subject }, { respond }) => {
      const url = `data:image/svg+xml;utf8,${encodeURIComponent(paintPicture(String(subject)))}`;
      respond.artifact({
        name: String(name),
        parts: [{ media: { url, contentType: "image/svg+xml" } }],
      });
      return { painted: String(name) };
    },
  },
];

/** Shows: artifacts, which are streamed, kept with the session and replaced by name. */
export function defineScribe({ store, model }: DemoParts): LocalAgent<Desk> {
  return defineTalker<Desk>({
    name: "scribe",
    description: "Writes postcards and poems, and paints: artifacts beside the conversation.",
    store,
    model,
    state,
    initialState: { written: 0 },
    tools: TOOLS,
    system: ({ written }) =>
      `You write short pages for guests, with a picture, by your tools. ${written} pages were written so far.`,
    script: scriptOf(
      [
        {
          when: /\b(postcard|poem|page|letter)\b(?: (?:about|of|on|for) (.+?))?[.!?]*$/i,
          say: ([, kind = "page", subject = "the sea"]) => {
            const name = kind.toLowerCase();
            return [
              { tool: "write", input: { name: `${name}.md`, text: textAbout(name, subject) } },
              { tool: "paint", input: { name: `${name}.svg`, subject } },
            ];
          },
        },
        {
          when: /\b(?:paint|draw)\b(?: me)? (.+?)[.!?]*$/i,
          say: ([, subject = ""]) => [{ tool: "paint", input: { name: "picture.svg", subject } }],
        },
      ],
      {
        after: (results) => {
          const names = results.map(
            ({ output }) => told(output, "wrote") || told(output, "painted"),
          );
          return `It is on the desk: ${names.join(" and ")}. Ask again, and the new one takes its place; the old one stays in the snapshots before.`;
        },
        hint: 'Try "a postcard about the harbour", "a poem about tea", or "paint a storm".',
      },
    ),
  });
}

function textAbout(kind: string, subject: string): string {
  if (kind === "poem") {
    return `# ${subject}\n\nI looked at ${subject} for a while,\nand ${subject} looked back.\nNeither of us blinked first;\nboth of us were kept.\n`;
  }
  return `# Greetings from the Turnkeep Hotel\n\nToday: **${subject}**. It was larger than in the pictures.\n\n- the tea is good\n- nothing is ever lost here\n- the staff are scripts, and say so\n`;
}
