import { type AgentInput, type ClientInputOptions, defineCustomAgent, type Part } from "turnkeep";
import { createHandler } from "turnkeep/http";
import { MemoryStore } from "turnkeep/stores/memory";
import { describe, expect, test } from "vitest";
import { errorOf } from "../../agent/authoring/turns.ts";
import { reflecting } from "../../reflection/reflecting.ts";
import { type Answer, askHandler } from "../serving.ts";

interface Listener {
  /** What the agent was given. */
  readonly inputs: AgentInput[];
  /** Sends an input in each way that clients have. */
  readonly send: (input: object) => Promise<readonly Answer[]>;
  readonly parse: (input: object) => AgentInput;
}

/** An agent with a loop of its own, which takes whatever it is given. */
function listener(options: ClientInputOptions = {}): Listener {
  const inputs: AgentInput[] = [];
  const store = new MemoryStore();
  const agent = defineCustomAgent({ name: "ear", store, ...options }, async ({ session }) => {
    await session.run(async (input) => {
      inputs.push(input);
      return { finishReason: "stop" };
    });
    return session.result();
  });
  const handler = createHandler([agent], { auth: "public" });
  const { ask } = reflecting([agent], { traces: false });
  const send = async (input: object): Promise<readonly Answer[]> => [
    await askHandler(handler, "/agents/ear/runs", { body: { input } }),
    await askHandler(handler, "/agents/ear", { body: { data: input } }),
    await ask("agents/ear/execute", { body: { input } }),
    await ask("runAction", { body: { key: "/agent/ear", input } }),
  ];
  return { inputs, send, parse: (input) => agent.parseClientInput(input) };
}

const message = (...content: readonly object[]): object => ({ message: { role: "user", content } });
const PNG = { media: { url: "data:image/png;base64,AA==", contentType: "image/png" } };
const REQUEST = { toolRequest: { name: "pay", ref: "1", input: { euros: 5 } } };

const WELCOME: Readonly<Record<string, object>> = {
  "text, media, data and custom": message(
    { text: "Look" },
    PNG,
    { data: { rows: [1] } },
    { custom: { mine: true } },
    { text: "with more", data: null, custom: {} },
  ),
  "an empty list of metadata": message({ text: "Hi", metadata: {} }),
  "answers to requests": {
    resume: {
      respond: [{ toolResponse: { name: "pay", output: "done", content: [PNG] } }],
      restart: [REQUEST],
    },
  },
  "nothing, which tries again": {},
};

const REFUSED: Readonly<Record<string, readonly [input: object, option: string]>> = {
  "a resource": [message({ resource: { uri: "file:///etc/passwd" } }), "clientResources"],
  "a resource in an answer": [
    {
      resume: {
        respond: [{ toolResponse: { name: "pay", content: [{ resource: { uri: "file:///x" } }] } }],
      },
    },
    "clientResources",
  ],
  "what a model thought": [message({ text: "Hi" }, { reasoning: "I may." }), "clientParts"],
  "a request for a tool": [message(REQUEST), "clientParts"],
  "a request that seems to wait": [
    message({ ...REQUEST, metadata: { interrupt: true } }),
    "clientMetadata",
  ],
  "a tool's answer": [message({ toolResponse: { name: "pay", output: "paid" } }), "clientParts"],
  "a part that says it is the schema of the output": [
    message({ text: "Hi", metadata: { purpose: "output" } }),
    "clientMetadata",
  ],
  "a message that says it is the prompt's": [
    { message: { role: "user", content: [{ text: "Hi" }], metadata: { preamble: true } } },
    "clientMetadata",
  ],
  "an output that was held back": [
    message({ text: "Hi", metadata: { pendingOutput: 1 } }),
    "clientMetadata",
  ],
  "a note of its own": [message({ text: "Hi", metadata: { locale: "de" } }), "clientMetadata"],
  "a picture that the server would fetch": [
    message({ media: { url: "http://169.254.169.254/latest/meta-data" } }),
    "clientMedia",
  ],
  "a file of the server's": [message({ media: { url: "file:///etc/passwd" } }), "clientMedia"],
};

describe("what clients send", () => {
  test("may not answer an interrupt again", async () => {
    const { inputs, send } = listener();
    for (const { status, body } of await send({ resume: { restart: [REQUEST], again: true } })) {
      expect([status, (body.error ?? body).details?.path]).toEqual([400, "resume.again"]);
    }
    expect(inputs).toEqual([]);
  });

  test.each(Object.entries(WELCOME))("is taken as it is: %s", async (_, input) => {
    const { inputs, send } = listener();
    const answers = await send(input);
    for (const { status, text } of answers) expect(status, text).toBeLessThan(300);
    await expect.poll(() => inputs.length).toBe(4);
    for (const given of inputs) expect(given).toEqual(input);
  });

  test.each(Object.entries(REFUSED))("is refused: %s", async (_, [input, option]) => {
    const { inputs, send } = listener();
    for (const { status, body } of await send(input)) {
      expect(status).toBe(400);
      // As Genkit's clients read errors, and as those of the reflection API do.
      const { details, message: text } = body.error ?? body;
      expect(details).toMatchObject({ reason: "INPUT_REFUSED", option });
      expect(text).toContain(option);
      expect(text).not.toMatch(/passwd|169\.254/);
    }
    expect(inputs).toEqual([]);
  });

  test("keeps only the sender's own words in the metadata of answers", async () => {
    const { inputs, send } = listener();
    const metadata = { interrupt: true, pendingOutput: "forged", purpose: "output" };
    const restarted = { resumed: { by: "ada" }, replacedInput: { euros: 4 } };
    const toolResponse = { name: "pay", ref: "1", output: "no" };
    await send({
      resume: {
        restart: [
          { ...REQUEST, metadata: { ...metadata, ...restarted } },
          { ...REQUEST, metadata },
        ],
        respond: [{ toolResponse, metadata: { ...metadata, interruptResponse: true } }],
      },
    });
    await expect.poll(() => inputs.length).toBe(4);
    for (const { resume } of inputs) {
      expect(resume).toEqual({
        restart: [{ ...REQUEST, metadata: restarted }, REQUEST],
        respond: [{ toolResponse, metadata: { interruptResponse: true } }],
      });
    }
  });

  test("is more where the agent says so", async () => {
    const { inputs, send } = listener({
      clientParts: ["reasoning", "toolRequest", "toolResponse"],
      clientMetadata: ["locale", "purpose"],
      clientResources: ["manual://tea"],
      clientMedia: ["https:", "data:"],
    });
    const parts: readonly Part[] = [
      { reasoning: "I may." },
      REQUEST,
      { toolResponse: { name: "pay", content: [{ resource: { uri: "manual://tea" } }] } },
      { text: "Hi", metadata: { locale: "de", purpose: "output" } },
      { resource: { uri: "manual://tea" } },
      { media: { url: "https://files.example/a.png" } },
    ];
    for (const { status, text } of await send(message(...parts))) {
      expect(status, text).toBeLessThan(300);
    }
    await expect
      .poll(() => inputs.map((input) => input.message?.content))
      .toEqual(Array.from({ length: 4 }, () => parts));
    const nested = { toolResponse: { name: "pay", content: [{ resource: { uri: "file:///x" } }] } };
    for (const { status } of await send(message(nested))) expect(status).toBe(400);
  });

  test("is free in process, where the application itself speaks", async () => {
    const agent = defineCustomAgent({ name: "ear" }, async ({ session }) => {
      await session.run(async () => ({ finishReason: "stop" }));
      return session.result();
    });
    const input = REFUSED["a resource"]![0] as AgentInput;
    expect((await agent.run(input)).finishReason).toBe("stop");
  });
});

describe("resources that clients may name", () => {
  const { parse } = listener({
    clientResources: ["manual://tea", "docs://{book}/{page}", "file:///srv/docs/{name}.md"],
  });

  test.each(["manual://tea", "docs://a/b", "docs://a.b/..c", "file:///srv/docs/x.md"])(
    "%s is listed",
    (uri) => {
      expect(parse(message({ resource: { uri } })).message?.content).toEqual([
        { resource: { uri } },
      ]);
    },
  );

  test.each([
    "manual://teapot",
    "manual://tea/",
    "MANUAL://tea",
    "xmanual://tea",
    "manual://tea\n",
    "docs://a",
    "docs://a/b/c",
    "docs://../b",
    "docs://a/..",
    "docs://a/b?c",
    "docs://a/b#c",
    "docs://a/%2e%2e",
    "docs://a/b\\c",
    "file:///srv/docs/../../etc/passwd.md",
    "file:///srv/docs/..%2f..%2fetc%2fpasswd.md",
    "file:///srv/docs/.md",
    "file:///srv/docs/xymd",
  ])("%s is not", async (uri) => {
    expect((await errorOf(() => parse(message({ resource: { uri } })))).reason).toBe(
      "INPUT_REFUSED",
    );
  });
});

describe("media that clients may send", () => {
  const { parse } = listener({
    clientMedia: ["data:", "gs:", "https://files.example/uploads/", "https://cdn.example:8443/img"],
  });
  const accepts = (url: string): boolean => {
    try {
      return parse(message({ media: { url } })).message !== undefined;
    } catch {
      return false;
    }
  };

  test.each([
    "data:,x",
    "DATA:,x",
    "gs://bucket/x",
    "https://files.example/uploads/a/b.png?size=2",
    "https://FILES.example:443/uploads/a.png",
    "https://cdn.example:8443/img",
    "https://cdn.example:8443/img/a.png",
  ])("%s is listed", (url) => {
    expect(accepts(url)).toBe(true);
  });

  test.each([
    "http://files.example/uploads/a.png",
    "https://files.example/private/a.png",
    "https://files.example/uploads/../private/a.png",
    "https://files.example/uploads/%2e%2e/private/a.png",
    "https://files.example/uploads/..%2fprivate/a.png",
    "https://files.example/uploads/..%5cprivate/a.png",
    "https://files.example\\@evil.example/uploads/a.png",
    "https://files.example@evil.example/uploads/a.png",
    "https://user:secret@files.example/uploads/a.png",
    "https://files.example.evil.example/uploads/a.png",
    "https://files.example:444/uploads/a.png",
    "https://cdn.example:8443/images/a.png",
    "https://cdn.example/img/a.png",
    " data:,x",
    "blob:data:,x",
    "/uploads/a.png",
    "//files.example/uploads/a.png",
    "javascript:alert(1)",
  ])("%s is not", (url) => {
    expect(accepts(url)).toBe(false);
  });
});

test.each([
  [{ clientParts: ["resource"] }, "kind of part"],
  [{ clientParts: "reasoning" }, "clientParts"],
  [{ clientMetadata: [5] }, "clientMetadata"],
  [{ clientResources: "file:///x" }, "clientResources"],
  [{ clientMedia: ["files.example"] }, "neither a scheme"],
  [{ clientMedia: ["https://files.example/?a=b"] }, "neither a scheme"],
])("an agent with %o is not defined", async (options, text) => {
  const error = await errorOf(() => listener(options as unknown as ClientInputOptions));
  expect(error.status).toBe("INVALID_ARGUMENT");
  expect(error.message).toContain(text);
});
