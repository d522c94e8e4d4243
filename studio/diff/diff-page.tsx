import type { ReactElement } from "react";

export function DiffPage(): ReactElement {
  return <p>soon</p>;
}
