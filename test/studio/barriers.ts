import axe from "axe-core";
import type { Page } from "playwright-core";

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary: string }[];
}

const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"];

/** What axe finds in the page as it is, in the light theme and in the dark one. */
export async function barriersIn(page: Page): Promise<readonly string[]> {
  // Put in by hand: the page's own policy lets no script tag in.
  await page.evaluate(axe.source);
  const found: string[] = [];
  for (const colorScheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme });
    await page.locator(`:root[data-theme=${colorScheme}]`).waitFor();
    const violations = await page.evaluate<readonly Violation[]>(
      `axe.run(document, { runOnly: ${JSON.stringify(RULES)} }).then((result) => result.violations)`,
    );
    found.push(
      ...violations.map(
        ({ id, nodes: [first] }) => `${colorScheme} ${id}: ${first?.html} ${first?.failureSummary}`,
      ),
    );
  }
  return found;
}
