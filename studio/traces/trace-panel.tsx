import type { ReactElement } from "react";
export function TracePanel(_: { readonly snapshotId: string | undefined }): ReactElement {
  return <p>soon</p>;
}
