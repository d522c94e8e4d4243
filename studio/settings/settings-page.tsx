import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { infoQuery } from "../api/queries.ts";
import type { StudioInfo } from "../api/types.ts";
import { changePreferences, type Theme, usePreferences } from "../app/preferences.ts";
import { Page } from "../ui/page.tsx";
import { Section } from "../ui/section.tsx";

const THEMES: readonly Theme[] = ["system", "light", "dark"];

export function SettingsPage(): ReactElement {
  const { theme, letterKeys, showTools } = usePreferences();
  const { data: info } = useQuery(infoQuery);
  return (
    <Page title="Settings">
      <div className="flex max-w-2xl flex-col gap-6 p-5">
        <Section title="Looks">
          <fieldset className="flex flex-wrap gap-4">
            <legend className="mb-1 font-medium">Theme</legend>
            {THEMES.map((one) => (
              <label key={one} className="flex items-center gap-1.5">
                <input
                  type="radio"
                  name="theme"
                  checked={theme === one}
                  onChange={() => changePreferences({ theme: one })}
                  className="accent-accent"
                />
                {one === "system" ? "as the system" : one}
              </label>
            ))}
          </fieldset>
          <Choice
            label="Show tool calls in conversations"
            isOn={showTools}
            onChange={(on) => changePreferences({ showTools: on })}
          />
        </Section>
        <Section title="Keyboard">
          <Choice
            label="Single letters are shortcuts"
            isOn={letterKeys}
            onChange={(on) => changePreferences({ letterKeys: on })}
          />
        </Section>
        <Section title="This server">
          <dl className="grid grid-cols-[10rem_1fr] gap-y-1">
            <dt className="text-soft">Application</dt>
            <dd>{[info?.name ?? "not named", info?.version].filter(Boolean).join(" ")}</dd>
            <dt className="text-soft">API version</dt>
            <dd>{info?.apiVersion}</dd>
            <dt className="text-soft">Changes</dt>
            <dd>{info?.readOnly ? "read-only: nothing can be changed" : "allowed"}</dd>
            <dt className="text-soft">Hidden state</dt>
            <dd className={info?.revealRaw ? "font-medium text-bad" : undefined}>
              {info?.revealRaw ? "shown as it is kept" : "stays hidden"}
            </dd>
            <dt className="text-soft">Traces</dt>
            <dd>{info?.capabilities.traces ? "collected" : "not collected"}</dd>
            <dt className="text-soft">Prices</dt>
            <dd>{info?.prices ? <PriceList {...info.prices} /> : "not given: no cost is shown"}</dd>
          </dl>
        </Section>
      </div>
    </Page>
  );
}

function PriceList({ currency, perMillion }: NonNullable<StudioInfo["prices"]>): ReactElement {
  return (
    <ul>
      {Object.entries(perMillion).map(([agent, prices]) => (
        <li key={agent}>
          {agent === "*" ? "any other agent" : agent}:{" "}
          {Object.entries(prices)
            .map(([name, price]) => `${name} ${price} ${currency}`)
            .join(", ")}{" "}
          for a million
        </li>
      ))}
    </ul>
  );
}

function Choice({
  label,
  isOn,
  onChange,
}: {
  readonly label: string;
  readonly isOn: boolean;
  readonly onChange: (isOn: boolean) => void;
}): ReactElement {
  return (
    <label className="flex items-center gap-2">
      <input
        type="checkbox"
        checked={isOn}
        onChange={(event) => onChange(event.target.checked)}
        className="accent-accent"
      />
      {label}
    </label>
  );
}
