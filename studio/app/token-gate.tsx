import { KeyRound } from "virtual:icons";
import { type FormEvent, type ReactElement, useState } from "react";
import { Button } from "../ui/button.tsx";
import { PageTitle } from "../ui/page.tsx";
import { openSession } from "./token.ts";

/** Asks for the token of this start. */
export function TokenGate({
  message,
  onOpen,
}: {
  readonly message: string;
  readonly onOpen: () => void;
}): ReactElement {
  const [token, setToken] = useState("");
  const [refusal, setRefusal] = useState<string>();
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    const given = /token=([^&\s]+)/.exec(token)?.[1] ?? token.trim();
    openSession(given).then(onOpen, (error: unknown) =>
      setRefusal(error instanceof Error ? error.message : String(error)),
    );
  };
  return (
    <main className="flex h-full items-center justify-center p-6">
      <form
        onSubmit={submit}
        className="flex w-full max-w-sm flex-col gap-3 rounded-lg border border-line bg-surface p-6"
      >
        <KeyRound className="size-6 text-accent" aria-hidden />
        <PageTitle title="This Studio is locked" />
        <p className="text-soft">{message}</p>
        <p className="text-soft">
          Open the link that <code className="font-mono text-xs">turnkeep studio</code> printed, or
          paste it here.
        </p>
        <label className="flex flex-col gap-1 font-medium">
          Link or token
          <input
            value={token}
            onChange={(event) => setToken(event.target.value)}
            autoComplete="off"
            className="h-8 rounded-md border border-line-strong bg-canvas px-2 font-mono text-xs font-normal"
          />
        </label>
        {refusal !== undefined && (
          <p role="alert" className="text-bad">
            {refusal}
          </p>
        )}
        <Button type="submit" look="primary" disabled={token.trim() === ""}>
          Open
        </Button>
      </form>
    </main>
  );
}
