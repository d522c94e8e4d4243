import type { ReactElement } from "react";

export function TracePage(): ReactElement {
  return <p>soon</p>;
}
