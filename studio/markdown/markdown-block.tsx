import { memo, type ReactElement } from "react";
import Markdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";
import "./markdown.css";

const PLUGINS = [remarkGfm];

// What a model wrote may be anybody's: no HTML of its own, no picture from elsewhere, and links that say where they lead.
const COMPONENTS: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer" title={href}>
      {children}
      {hostOf(href) !== "" && <span className="text-xs text-faint"> ({hostOf(href)})</span>}
    </a>
  ),
  img: ({ src, alt }) => (
    <span className="text-soft">
      [picture{alt ? `: ${alt}` : ""}, not loaded from {hostOf(src) || "elsewhere"}]
    </span>
  ),
};

export const MarkdownBlock = memo(function MarkdownBlock({
  text,
}: {
  readonly text: string;
}): ReactElement {
  return (
    <Markdown remarkPlugins={PLUGINS} components={COMPONENTS} skipHtml={false}>
      {text}
    </Markdown>
  );
});

function hostOf(address: unknown): string {
  return typeof address === "string" && URL.canParse(address) ? new URL(address).host : "";
}
