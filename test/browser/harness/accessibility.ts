import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

/** The rules of WCAG 2.2 up to AA, and axe's own good practice. */
const RULES = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice'];
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const SHOWN_MAX = 3;

type Violation = { readonly id: string; readonly nodes: readonly { readonly html: string }[] };

/** What axe finds wrong with a page as it is now, a line for each rule. The policy of a page does not hold it up. */
export async function findBarriers(page: Page): Promise<readonly string[]> {
  await page.evaluate(AXE);
  const found = await page.evaluate<readonly Violation[]>(
    `axe.run({ runOnly: ${JSON.stringify(RULES)} }).then(({ violations }) => violations.map(({ id, nodes }) => ({ id, nodes: nodes.map(({ html }) => ({ html })) })))`,
  );
  return found.map(({ id, nodes }) => {
    const shown = nodes.slice(0, SHOWN_MAX).map(({ html }) => html.slice(0, 160));
    return `${id} (${nodes.length}): ${shown.join(' | ')}`;
  });
}

/** How many pixels a page is wider than its window. */
export async function overflow(page: Page): Promise<number> {
  return page.evaluate<number>('document.documentElement.scrollWidth - innerWidth');
}

/** What the page keeps in the browser: everything that outlives it. */
export async function keptBy(page: Page): Promise<string> {
  return page.evaluate<string>(
    'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage), document.cookie])',
  );
}
