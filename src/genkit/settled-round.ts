import type { MessageData } from "genkit";
import { keyOf, withOwnRefs } from "./distinct-refs.ts";

/**
 * The messages after a round of tools that waited for a person. Genkit lists its answers as they came; here they stand in the order of the requests,
 * under the references that the model gave.
 */
export function withSettledRound(messages: readonly MessageData[]): MessageData[] {
  const [requests, answers] = messages.slice(-2);
  if (requests === undefined || answers === undefined) return [...messages];
  const order = requests.content.map(({ toolRequest }) => toolRequest && keyOf(toolRequest));
  const placeOf = ({ toolResponse }: MessageData["content"][number]): number =>
    toolResponse ? order.indexOf(keyOf(toolResponse)) : -1;
  const sorted = answers.content.toSorted((left, right) => placeOf(left) - placeOf(right));
  return [
    ...messages.slice(0, -2),
    { ...requests, content: withOwnRefs(requests.content) },
    { ...answers, content: withOwnRefs(sorted) },
  ];
}
