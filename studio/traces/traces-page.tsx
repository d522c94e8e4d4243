import type { ReactElement } from "react";

export function TracesPage(): ReactElement {
  return <p>soon</p>;
}
