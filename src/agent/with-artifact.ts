import type { Artifact } from "../protocol/index.ts";

/** The list with the artifact added; one of the same name is replaced. */
export function withArtifact(
  artifacts: readonly Artifact[],
  artifact: Artifact,
): readonly Artifact[] {
  const at = artifacts.findIndex(({ name }) => name !== undefined && name === artifact.name);
  return at === -1 ? [...artifacts, artifact] : artifacts.with(at, artifact);
}
