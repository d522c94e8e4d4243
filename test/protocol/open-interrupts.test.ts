import {
  checkResume,
  type Message,
  mergeResumes,
  openInterrupts,
  type OpenInterrupt,
  type Part,
  type Resume,
} from "turnkeep/protocol";
import { describe, expect, it } from "vitest";
import { refusalOf } from "./refusal-of.ts";

const REFUND = { name: "refund", ref: "r1", input: { order: 7 } };
const MAIL = { name: "mail", input: { to: "Ann" } };

function waiting(...requests: readonly Part[]): Message {
  return { role: "model", content: requests };
}

const BOTH = waiting(
  { text: "One moment." },
  { toolRequest: REFUND, metadata: { interrupt: { question: "Refund 7?" } } },
  { toolRequest: { name: "look" }, metadata: { pendingOutput: 1 } },
  { toolRequest: MAIL, metadata: { interrupt: true } },
);
const USER: Message = { role: "user", content: [{ text: "hi" }] };

describe("openInterrupts", () => {
  it.each([
    ["an output", { message: BOTH }],
    ["a snapshot", { snapshotId: "s", state: { messages: [USER, BOTH] } }],
    ["a state", { messages: [USER, BOTH] }],
    ["messages", [USER, BOTH]],
  ])("finds the requests that wait in %s", (_, source) => {
    const found = openInterrupts(source);
    expect(found).toMatchObject([
      { tool: "refund", ref: "r1", input: { order: 7 }, interrupt: { question: "Refund 7?" } },
      { tool: "mail", input: { to: "Ann" }, interrupt: true },
    ]);
    expect(found[1]).not.toHaveProperty("ref");
  });

  it.each([
    ["nothing", {}],
    ["no messages", []],
    ["a message of the user's", [BOTH, USER]],
    ["requests that do not wait", [waiting({ toolRequest: MAIL })]],
    [
      "requests that were settled",
      [waiting({ toolRequest: MAIL, metadata: { interrupt: false } })],
    ],
  ])("finds none in %s", (_, source) => {
    expect(openInterrupts(source as never)).toEqual([]);
  });
});

describe("an open interrupt", () => {
  const [refund, mail] = openInterrupts([BOTH]) as [OpenInterrupt, OpenInterrupt];

  it("is approved by its request, with what the tool goes on with", () => {
    expect(refund.approve()).toEqual({
      restart: [{ toolRequest: REFUND, metadata: { resumed: true } }],
    });
    expect(mail.approve({ by: "Ada" })).toEqual({
      restart: [{ toolRequest: MAIL, metadata: { resumed: { by: "Ada" } } }],
    });
  });

  it("is denied by an answer that says so", () => {
    expect(refund.deny("Too late.")).toEqual({
      respond: [
        {
          toolResponse: {
            name: "refund",
            ref: "r1",
            output: { denied: true, reason: "Too late." },
          },
        },
      ],
    });
    expect(mail.deny()).toEqual({
      respond: [{ toolResponse: { name: "mail", output: { denied: true } } }],
    });
  });

  it("is answered in the tool's place, with whatever JSON", () => {
    for (const output of ["by hand", 0, "", false, null, { a: [1] }]) {
      expect(mail.answer(output)).toEqual({
        respond: [{ toolResponse: { name: "mail", output } }],
      });
    }
  });

  it("is answered together with the others", () => {
    const resume = mergeResumes(refund.approve(), mail.deny());
    expect(resume).toEqual({ ...refund.approve(), ...mail.deny() });
    expect(() => checkResume([USER, BOTH], resume)).not.toThrow();
    expect(mergeResumes()).toEqual({});
  });

  it("of an agent that waits itself shows what that waits for, and passes the answers on", () => {
    const requests = BOTH.content.filter(({ metadata }) => metadata?.["interrupt"]);
    const part: Part = {
      toolRequest: { name: "helper" },
      metadata: { interrupt: { agent: "helper", requests } },
    };
    const [outer] = openInterrupts([waiting(part)]) as [OpenInterrupt];
    expect(outer.inner.map(({ tool }) => tool)).toEqual(["refund", "mail"]);
    const below = mergeResumes(refund.approve(), mail.approve());
    expect(outer.approve()).toEqual(outer.approve(below as never));
    expect(outer.approve()).toEqual({
      restart: [{ toolRequest: { name: "helper" }, metadata: { resumed: below } }],
    });
  });
});

describe("checkResume", () => {
  const [refund, mail] = openInterrupts([BOTH]) as [OpenInterrupt, OpenInterrupt];
  const restart = [{ toolRequest: { ...REFUND, input: { order: 8 } } }];
  const forged: readonly (readonly [what: string, resume: Resume, message: RegExp])[] = [
    ["an answer to nothing", { respond: [{ toolResponse: { name: "nuke" } }] }, /was not found/],
    ["half of the answers", refund.approve(), /Unresolved tool request 'mail'/],
    ["two answers to one", mergeResumes(refund.deny(), refund.approve()), /is no longer pending/],
    ["an altered input", mergeResumes({ restart }, mail.deny()), /modified inputs/],
    ["no answers", {}, /Unresolved tool request 'refund#r1'/],
  ];

  it.each(forged)("refuses %s", (_, resume, message) => {
    const error = refusalOf(() => checkResume([USER, BOTH], resume));
    expect(error.status).toBe("INVALID_ARGUMENT");
    expect(error.message).toMatch(message);
  });

  it("refuses an answer when nothing waits", () => {
    const error = refusalOf(() => checkResume([BOTH, USER], {}));
    expect(error.message).toMatch(/nothing to resume/);
    expect(refusalOf(() => checkResume([BOTH, USER], refund.deny())).message).toMatch(
      /is no longer pending/,
    );
  });
});
