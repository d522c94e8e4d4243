import type { ReactElement } from "react";

export function SessionPage(): ReactElement {
  return <p>soon</p>;
}
