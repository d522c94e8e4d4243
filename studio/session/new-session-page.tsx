import type { ReactElement } from "react";

export function NewSessionPage(): ReactElement {
  return <p>soon</p>;
}
