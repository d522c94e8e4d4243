import type { ReactElement } from "react";

export function StatsPage(): ReactElement {
  return <p>soon</p>;
}
