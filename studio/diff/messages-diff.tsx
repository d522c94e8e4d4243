import { type ReactElement, useState } from "react";
import type { Message } from "turnkeep/protocol";
import type { SnapshotDiff } from "../api/types.ts";
import { MessagePart } from "../session/message-part.tsx";
import { Button } from "../ui/button.tsx";
import { count } from "../ui/formats.ts";

// Of many messages this many are shown, and then as many more.
const ROWS = 50;

/** What each has behind the messages that both have, side by side. */
export function MessagesDiff({
  messages: { removed, added },
}: Pick<SnapshotDiff, "messages">): ReactElement | null {
  const [shown, setShown] = useState(ROWS);
  const length = Math.max(removed.length, added.length);
  if (length === 0) return null;
  const rows = Array.from({ length: Math.min(length, shown) }, (_, at) => at);
  return (
    <>
      <table className="w-full table-fixed text-left">
        <caption className="sr-only">The messages that differ</caption>
        <thead className="text-xs text-faint">
          <tr>
            <th scope="col" className="font-medium">
              From
            </th>
            <th scope="col" className="font-medium">
              To
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map((at) => (
            <tr key={at} className="align-top">
              <Cell sign="−" message={removed[at]} />
              <Cell sign="+" message={added[at]} />
            </tr>
          ))}
        </tbody>
      </table>
      {length > shown && (
        <Button small className="mt-2" onClick={() => setShown(shown + ROWS)}>
          {count(length - shown)} more
        </Button>
      )}
    </>
  );
}

function Cell({
  sign,
  message,
}: {
  readonly sign: "+" | "−";
  readonly message: Message | undefined;
}): ReactElement {
  if (message === undefined) return <td />;
  const { role, content } = message;
  const look = sign === "+" ? "border-good" : "border-bad";
  return (
    <td className="pt-2 pr-3">
      <div className={`flex flex-col gap-1 overflow-x-auto border-l-2 pl-3 ${look}`}>
        <p className="text-xs font-medium text-faint">
          {sign} {role}
        </p>
        {content.map((part, at) => (
          <MessagePart key={at} part={part} isPlain={role === "user"} />
        ))}
      </div>
    </td>
  );
}
