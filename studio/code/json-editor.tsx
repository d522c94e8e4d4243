import { lazy, type ReactElement, Suspense } from "react";

const CodeEditor = lazy(async () => ({ default: (await import("./code-editor.tsx")).CodeEditor }));

/** An editor for JSON; until it is there, a plain box. */
export function JsonEditor({
  label,
  value,
  onChange,
}: {
  readonly label: string;
  readonly value: string;
  readonly onChange: (text: string, errorAt?: number) => void;
}): ReactElement {
  const plain = (
    <textarea
      aria-label={label}
      value={value}
      onChange={(event) => onChange(event.target.value)}
      rows={8}
      className="w-full rounded-md border border-line-strong bg-canvas p-2 font-mono text-xs"
    />
  );
  return (
    <Suspense fallback={plain}>
      <CodeEditor label={label} value={value} language="json" onChange={onChange} />
    </Suspense>
  );
}
