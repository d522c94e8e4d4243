import type { ReactElement } from "react";

export function RunsPage(): ReactElement {
  return <p>soon</p>;
}
