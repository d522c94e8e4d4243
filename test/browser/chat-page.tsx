// A page that chats with an agent: bundled for the tests that drive it in a real browser. The address of the agent stands in the query, as `?agent=`.
import { type FormEvent, type ReactElement, StrictMode, useState } from "react";
import { createRoot } from "react-dom/client";
import { remoteAgent } from "turnkeep/client";
import { useAgent } from "turnkeep/react";

const url = new URLSearchParams(location.search).get("agent") ?? "/agents/chat";
const agent = remoteAgent({ url });

function textOf(content: readonly { readonly text?: string }[]): string {
  return content.map(({ text = "" }) => text).join("");
}

function ChatPage(): ReactElement {
  const chat = useAgent(agent);
  const [draft, setDraft] = useState("");
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    chat.send(draft);
    setDraft("");
  };
  return (
    <main>
      <p id="status">{chat.status}</p>
      <p id="error">{chat.error instanceof Error ? chat.error.message : ""}</p>
      <pre id="state">{JSON.stringify(chat.state ?? null)}</pre>
      <ol id="transcript">
        {chat.messages.map(({ role, content }, index) => (
          <li key={index} data-role={role}>
            {textOf(content)}
          </li>
        ))}
      </ol>
      <ul id="queued">
        {chat.queued.map(({ content }, index) => (
          <li key={index}>{textOf(content)}</li>
        ))}
      </ul>
      <ul id="artifacts">
        {chat.artifacts.map(({ name, parts }, index) => (
          <li key={index} data-name={name}>
            {textOf(parts)}
          </li>
        ))}
      </ul>
      <ul id="interrupts">
        {chat.interrupts.map(({ tool, approve, deny, answer }, index) => (
          <li key={index}>
            {tool}
            <button id={`approve-${index}`} onClick={() => approve()}>
              Approve
            </button>
            <button id={`deny-${index}`} onClick={() => deny("Not today.")}>
              Deny
            </button>
            <button id={`answer-${index}`} onClick={() => answer("Done by hand.")}>
              I have done it myself
            </button>
          </li>
        ))}
      </ul>
      <form id="form" onSubmit={submit}>
        <input id="input" value={draft} onChange={(event) => setDraft(event.target.value)} />
        <button id="send">Send</button>
        <button id="deny-all" type="button" onClick={() => chat.denyAll()}>
          Drop what waits
        </button>
        <button id="stop" type="button" onClick={chat.stop}>
          Stop
        </button>
        <button id="detach" type="button" onClick={chat.detach}>
          Detach
        </button>
        <button id="rejoin" type="button" onClick={chat.rejoin}>
          Rejoin
        </button>
      </form>
    </main>
  );
}

const root =
  document.querySelector("#root") ?? document.body.appendChild(document.createElement("div"));
createRoot(root).render(
  <StrictMode>
    <ChatPage />
  </StrictMode>,
);
