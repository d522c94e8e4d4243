import { TextStream, type StreamOptions } from "./text-stream.ts";

/** What a request is answered with: at once, or over time. */
export type Answer = Response | StreamAnswer;

/** An answer that comes over time, made a `Response` only where one is asked for. */
export class StreamAnswer {
  readonly status = 200;
  readonly headers: Map<string, string>;
  readonly stream: TextStream;

  constructor(options: StreamOptions) {
    this.stream = new TextStream(options);
    this.headers = new Map([
      ["content-type", options.kind.contentType ?? "text/event-stream"],
      ["cache-control", "no-cache, no-transform"],
      ["x-content-type-options", "nosniff"],
      // For proxies that would collect the stream before passing it on.
      ["x-accel-buffering", "no"],
    ]);
  }
}

/** The answer as any runtime takes it. */
export function toResponse(answer: Answer): Response {
  if (answer instanceof Response) return answer;
  const { stream, headers, status } = answer;
  const body = new ReadableStream(new TextSource(stream), { highWaterMark: 1 });
  return new Response(body, { status, headers: [...headers] });
}

const utf8 = new TextEncoder();

class TextSource implements UnderlyingDefaultSource<Uint8Array> {
  readonly #stream: TextStream;

  constructor(stream: TextStream) {
    this.#stream = stream;
  }

  start(controller: ReadableStreamDefaultController<Uint8Array>): void {
    this.#stream.open({
      write: (text) => {
        controller.enqueue(utf8.encode(text));
        return (controller.desiredSize ?? 0) > 0;
      },
      end: () => controller.close(),
      break: (error) => controller.error(error),
    });
  }

  pull(): void {
    this.#stream.drained();
  }

  cancel(): void {
    this.#stream.cancel();
  }
}
