import { Link } from "@tanstack/react-router";
import type { ReactElement, ReactNode } from "react";
import type { SnapshotMeta, SnapshotPage } from "../api/types.ts";
import { count, dateTime, shortId, tokensOf, turnTime } from "../ui/formats.ts";
import { type Money, useMoney } from "../ui/use-money.ts";
import { snapshotStatus, Status } from "../ui/status.tsx";
import type { TwoSnapshots } from "./compared.tsx";

type Fact = (snapshot: SnapshotMeta) => ReactNode;

const FACTS: readonly (readonly [string, Fact])[] = [
  ["Status", (snapshot) => <Status word={snapshotStatus(snapshot)} />],
  ["Begun", ({ createdAt }) => dateTime(createdAt)],
  ["Time of the turn", (snapshot) => turnTime(snapshot) ?? "–"],
  ["Tokens of the turn", ({ usage }) => tokensText(usage)],
  ["Messages", ({ messageCount = 0 }) => count(messageCount)],
  ["Artifacts", ({ artifactCount = 0 }) => count(artifactCount)],
];

function tokensText(usage: SnapshotMeta["usage"]): string {
  const { input, output, total } = tokensOf(usage);
  return total === 0 ? "–" : `${count(total)} (${count(input)} in, ${count(output)} out)`;
}

const costBy =
  (money: Money["money"]): Fact =>
  ({ cost }) =>
    money(cost) ?? "–";

/** What is known of both, side by side. */
export function Sides({
  name,
  from,
  to,
  tree: { snapshots, head },
}: TwoSnapshots & { readonly tree: SnapshotPage }): ReactElement {
  const { money, hasPrices } = useMoney();
  const sides = [
    { word: "From", id: from },
    { word: "To", id: to },
  ].map((side) => ({
    ...side,
    snapshot: snapshots.find(({ snapshotId }) => snapshotId === side.id),
  }));
  const facts = hasPrices ? [...FACTS, ["Cost of the turn", costBy(money)] as const] : FACTS;
  return (
    <div className="relative overflow-x-auto rounded-lg border border-line bg-surface p-4">
      <table className="w-full table-fixed text-left">
        <caption className="sr-only">The two snapshots</caption>
        <thead>
          <tr>
            <td className="w-40" />
            {sides.map(({ word, id }) => (
              <th key={word} scope="col" className="pb-1 font-medium">
                {word}{" "}
                <Link
                  to="/agents/$agent/sessions/$session"
                  params={name}
                  search={{ snap: id }}
                  className="font-mono text-xs text-accent hover:underline"
                >
                  {shortId(id)}
                </Link>
                {id === head && " (head)"}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {facts.map(([label, fact]) => (
            <tr key={label}>
              <th scope="row" className="py-0.5 font-normal text-soft">
                {label}
              </th>
              {sides.map(({ word, snapshot }) => (
                <td key={word} className="py-0.5">
                  {snapshot ? fact(snapshot) : "–"}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
