import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Upload } from "virtual:icons";
import { type ReactElement, useRef } from "react";
import { apiUrl, ask, pathOf } from "../api/request.ts";
import { Button } from "../ui/button.tsx";
import { Dialog } from "../ui/dialog.tsx";

/** Makes a session of a file that was exported, under a new id. */
export function ImportButton({ agent }: { readonly agent: string }): ReactElement {
  const chooser = useRef<HTMLInputElement>(null);
  const client = useQueryClient();
  const navigate = useNavigate();
  const importing = useMutation({
    mutationFn: async (file: File): Promise<string> => {
      const response = await ask(apiUrl(`${pathOf("agents", agent)}/sessions:import`), {
        method: "POST",
        headers: { "content-type": "application/x-ndjson" },
        body: file,
      });
      const { sessionId } = (await response.json()) as { readonly sessionId: string };
      return sessionId;
    },
    onSuccess: (session) => {
      void client.invalidateQueries({ queryKey: ["sessions"] });
      void navigate({ to: "/agents/$agent/sessions/$session", params: { agent, session } });
    },
  });
  return (
    <>
      <input
        ref={chooser}
        type="file"
        accept=".ndjson,application/x-ndjson"
        aria-label="Session file"
        className="hidden"
        onChange={({ target }) => {
          const [file] = target.files ?? [];
          if (file) importing.mutate(file);
          // The same file may be chosen again.
          target.value = "";
        }}
      />
      <Button onClick={() => chooser.current?.click()} disabled={importing.isPending}>
        <Upload aria-hidden /> {importing.isPending ? "Importing…" : "Import…"}
      </Button>
      {importing.error && (
        <Dialog
          title="The file was not imported"
          about="Nothing was written."
          onClose={() => importing.reset()}
        >
          <p role="alert" className="text-bad">
            {importing.error.message}
          </p>
        </Dialog>
      )}
    </>
  );
}
