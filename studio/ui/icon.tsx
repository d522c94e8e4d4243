import type { ReactElement, SVGProps } from "react";

/** A small picture. Whoever shows it says with classes how large it is. */
export type Icon = (props: SVGProps<SVGSVGElement>) => ReactElement;

/** Makes an icon of the lines in it, which the build reads: see icon-components.ts. */
export function icon(lines: string): Icon {
  return (props) => (
    <svg
      viewBox="0 0 24 24"
      width="24"
      height="24"
      aria-hidden
      fill="none"
      stroke="currentColor"
      strokeWidth="2"
      strokeLinecap="round"
      strokeLinejoin="round"
      {...props}
      dangerouslySetInnerHTML={{ __html: lines }}
    />
  );
}
