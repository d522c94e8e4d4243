/** The scripted model as a language model of the AI SDK, in the version of its interface that the caller speaks. */
export function languageModel(model, { version, finishReason, usage }) {
  const finish = { type: "finish", finishReason, usage };
  return {
    specificationVersion: version,
    provider: "bench",
    modelId: "scripted",
    supportedUrls: {},
    doGenerate: async ({ prompt, abortSignal }) => {
      const text = await model.answer(heardIn(prompt), undefined, {
        signal: abortSignal,
      });
      return { content: [{ type: "text", text }], finishReason, usage, warnings: [] };
    },
    doStream: async ({ prompt, abortSignal }) => {
      const said = model.chunks(heardIn(prompt), abortSignal);
      return { stream: ReadableStream.from(partsOf(said, finish)) };
    },
  };
}

async function* partsOf(said, finish) {
  yield { type: "stream-start", warnings: [] };
  yield { type: "text-start", id: "1" };
  for await (const delta of said) yield { type: "text-delta", id: "1", delta };
  yield { type: "text-end", id: "1" };
  yield finish;
}

function heardIn(prompt) {
  return prompt
    .at(-1)
    .content.map((part) => part.text ?? "")
    .join("");
}
