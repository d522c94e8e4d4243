import { decodeSse, type Json } from "turnkeep/protocol";

/** One event of a native stream. */
export interface Frame {
  readonly event: string;
  readonly id: string | undefined;
  // Tests look into frames of all kinds.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any;
}

/** The frames of one of our own streams, as they come. */
export async function* framesOf(response: Response): AsyncGenerator<Frame> {
  if (response.body === null) return;
  for await (const { event, id, data } of decodeSse(response.body)) {
    yield { event: event ?? "", id, data: JSON.parse(data ?? "null") as Json };
  }
}

/** The run that a stream says first that it is of. */
export async function runOf(
  frames: AsyncGenerator<Frame>,
): Promise<{ readonly runId: string; readonly sessionId: string }> {
  const { value } = await frames.next();
  return (value as Frame).data;
}

export async function allFrames(response: Response): Promise<readonly Frame[]> {
  const all: Frame[] = [];
  for await (const frame of framesOf(response)) all.push(frame);
  return all;
}

/** Reads until a frame of this kind has come, and lets go of the stream. */
export async function frameOf(response: Response, event: string): Promise<Frame> {
  for await (const frame of framesOf(response)) if (frame.event === event) return frame;
  throw new Error(`The stream ended without '${event}'.`);
}

/** The frames of a stream for Genkit's clients, read as its JavaScript client does. */
export function genkitFrames(text: string): readonly Json[] {
  return text
    .split("\n\n")
    .slice(0, -1)
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Json);
}
