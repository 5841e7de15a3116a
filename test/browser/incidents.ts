import type { Page } from 'playwright-core';
import type { IncidentView } from '../../src/admin/api/incident-specs.ts';
import { clockText } from '../../src/admin/console/page/show/times.ts';
import { countText } from '../../src/admin/console/page/show/units.ts';
import type { FaultBench } from '../faults/harness/bench.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { serving } from '../support/upstream/scripted-upstream.ts';
import { type ConsoleTab, faultsOf, isClean, openAs } from './harness/console-tab.ts';
import { openIncident, openScene, type Scene } from './harness/scene.ts';

const CLICKS_MAX = 2;
/** How far the beginning of an incident may be from the first failure. */
const SINCE_MS = 2_000;
const LABEL = 'Shop of the night';

/** A question about an incident, asked on the overview. */
type Question = {
  readonly question: string;
  readonly clicks?: readonly ((page: Page) => ReturnType<Page['locator']>)[];
  /** What is read then, in the incident or where the clicks lead. */
  readonly answer: (incident: IncidentView) => RegExp;
};

const inIncident = (name: string) => (page: Page) => page.locator('li.incident').getByRole('link', { name });

const questions: readonly Question[] = [
  { question: 'what?', answer: () => /critical\s*source catalog: answers 500/ },
  {
    question: 'since when?',
    answer: ({ since }) => new RegExp(`Since\\s*\\d{4}-\\d\\d-\\d\\d ${clockText(since)} UTC, for \\d+`),
  },
  {
    question: 'how much?',
    answer: ({ answers }) =>
      new RegExp(
        `Answers\\s*${countText(answers.failed)} of ${countText(answers.total)} failed \\([\\d.]+ %\\)`,
      ),
  },
  { question: 'whose fault?', answer: () => /Whose fault\s*the service behind the gateway/ },
  { question: 'whose answers?', answer: () => new RegExp(`Whose answers[\\s\\S]*${LABEL} \\d+`) },
  {
    question: 'which requests?',
    clicks: [inIncident('products.list')],
    answer: ({ answers }) =>
      new RegExp(`upstream_error\\s*catalog[\\s\\S]*each links to its trace\\s*${answers.failed}(?!\\d)`),
  },
  {
    question: 'which of one caller?',
    clicks: [inIncident(LABEL)],
    answer: () => /By cause[\s\S]*upstream_error\s*catalog\s*3\b/,
  },
  { question: 'what changed?', answer: () => /Changed before\s*\d\d:\d\d:\d\d cache\.purge users/ },
  { question: 'what happens by itself?', answer: () => /By itself[\s\S]*its breaker is (open|half open)/ },
  {
    question: 'what else is wrong?',
    clicks: [(page) => page.locator('li.incident summary')],
    answer: () => /1 effect|\d effects[\s\S]*breaker keeps calls back/,
  },
  {
    question: 'what to do?',
    clicks: [inIncident('Runbook')],
    answer: () => /What to do[\s\S]*portico doctor catalog[\s\S]*Runbook:/,
  },
  { question: 'is it over?', answer: () => /Over\?\s*no: last seen/ },
];

/** Has the catalogue fail under two callers, a change just before; gives the time of its first failure. */
async function openNight(bench: FaultBench) {
  const scene = await openScene(bench);
  const { api, gateway, ask } = scene;
  const input = { label: LABEL, permissions: ['products:read'], reason: 'the night' };
  const { secret } = await api<{ secret: string }>('keys', { body: input });
  await api('cache/purge', { body: { tag: 'users', reason: 'the names were wrong' } });
  await bench.sleep(1_500);
  const began = Date.now();
  for (let page = 1; page <= 3; page += 1)
    await fetch(`${gateway.url}/v1/products?page=${page}`, { headers: { 'x-api-key': secret } });
  for (let page = 4; page <= 20; page += 1) await ask(`/v1/products?page=${page}`);
  return { scene, began, id: await openIncident(bench, scene) };
}

/** The incident as the API has it. */
const readIncident = async ({ api }: Scene, id: string) =>
  (await api<{ incident: IncidentView }>(`incidents/${id}`)).incident;

async function unanswered(tab: ConsoleTab, incident: IncidentView): Promise<readonly string[]> {
  const wrong: string[] = [];
  for (const { question, clicks = [], answer } of questions) {
    await tab.go('#/overview');
    try {
      for (const click of clicks) await click(tab.page).first().click({ timeout: 8_000 });
      await tab.page.locator('body', { hasText: answer(incident) }).waitFor({ timeout: 8_000 });
    } catch {
      const text = (await tab.page.locator('main').innerText()).replaceAll(/\s+/g, ' ');
      wrong.push(`${question} ${text.slice(0, 900)}`);
    }
  }
  return wrong;
}

const asked: BenchRow = {
  id: 'night-1',
  name: 'twelve questions about an incident are answered by the overview with two clicks at most, and as it was',
  async run(bench) {
    const { scene, began, id } = await openNight(bench);
    const incident = await readIncident(scene, id);
    const tab = await openAs(bench, scene, 'operator');
    await tab.page.locator('li.incident').waitFor();
    const wrong = await unanswered(tab, incident);
    const late = Math.abs(Date.parse(incident.since) - began);
    const clicks = Math.max(...questions.map((one) => one.clicks?.length ?? 0));
    return promised(wrong.length === 0 && late <= SINCE_MS && clicks <= CLICKS_MAX && isClean(tab), {
      questions: questions.length,
      'clicks at most': clicks,
      'ms from the first failure': late,
      unanswered: wrong.join(' || ').slice(0, 3_000) || 0,
      ...faultsOf(tab),
    });
  },
};

const sent: BenchRow = {
  id: 'night-2',
  name: 'the address of an incident shows it to a colleague with its requests, while it lasts and when it is over',
  async run(bench) {
    const { scene, id } = await openNight(bench);
    const tab = await openAs(bench, scene, 'viewer', { hash: `#/incident/${id}` });
    const { page } = tab;
    const text = await tab.text();
    const listed = await page.getByRole('table', { name: 'requests' }).locator('tbody tr').count();
    scene.catalog.become(serving(() => ({ body: [], headers: { 'X-Result-Count': '0' } })));
    await page.locator('main', { hasText: /Over\?\s*yes, since/ }).waitFor({ timeout: 100_000 });
    await tab.go('#/overview');
    await page.locator('.calm', { hasText: 'No incident is open' }).waitFor();
    await page.locator('.attention summary', { hasText: '1 incident ended' }).click();
    await page.locator('.attention details').getByRole('link', { name: 'source catalog' }).click();
    await page.locator('main h1', { hasText: 'source catalog' }).waitFor();
    await tab.go('#/incident/source-nothing-1');
    const unknown = await tab.text();
    const ok = /effects?\s+.*breaker keeps calls back/.test(text.replaceAll('\n', ' ')) && listed === 20;
    return promised(ok && unknown.includes('no incident has the id') && isClean(tab), {
      'requests listed': listed,
      text: ok ? 'whole' : text.slice(0, 2_000),
      ...faultsOf(tab),
    });
  },
};

const REFUSED = 130;

const flood: BenchRow = {
  id: 'night-3',
  name: 'refusals of callers do not hide failures in the list of requests, which has twenty a page at 390 px',
  async run(bench) {
    const scene = await openScene(bench);
    for (let page = 1; page <= 3; page += 1) await scene.ask(`/v1/products?page=${page}`);
    for (let count = 0; count < REFUSED; count += 1) await scene.ask('/v1/users/user_99999');
    const tab = await openAs(bench, scene, 'viewer', { viewport: { width: 390, height: 800 } });
    const { page } = tab;
    const rows = page.getByRole('table', { name: 'requests' }).locator('tbody tr');
    const causes = () => page.getByRole('table', { name: 'causes' }).locator('tbody tr').allInnerTexts();
    await tab.go('#/requests');
    const failed = await rows.count();
    await page.getByLabel('Status').selectOption('all');
    await page.getByRole('table', { name: 'causes' }).getByText('not_found').waitFor();
    const first = await rows.count();
    const grouped = await causes();
    await page.getByRole('link', { name: 'Next' }).click();
    await page.getByText(/Page 2 of/).waitFor();
    const second = await rows.first().innerText();
    await page.getByRole('table', { name: 'causes' }).getByRole('link', { name: 'upstream_error' }).click();
    await page.locator('table[aria-label=causes] tbody tr:only-child').waitFor();
    const chosen = await rows.count();
    const ok = failed === 3 && first === 20 && grouped.length === 2 && chosen === 3;
    return promised(ok && second.includes('404') && isClean(tab), {
      'by default': failed,
      'on a page of all': first,
      causes: grouped.length,
      'of one cause': chosen,
      ...faultsOf(tab),
    });
  },
};

const words: BenchRow = {
  id: 'night-4',
  name: 'counts since the start say so, a held migration resumes first, and the shortcuts are called so',
  async run(bench) {
    const scene = await openScene(bench);
    await scene.rampUsers(25);
    await scene.sendTraffic();
    await scene.api('migrations/users/hold', { body: { reason: 'the night' } });
    const tab = await openAs(bench, scene, 'operator', { hash: '#/migration/users' });
    const { page } = tab;
    await page.getByRole('button', { name: 'Resume' }).waitFor();
    const primary = await page.locator('main button.primary').allInnerTexts();
    await page.getByRole('button', { name: 'Shortcuts' }).click();
    const title = await page.locator('dialog[open] h2').innerText();
    await page.keyboard.press('Escape');
    await tab.go('#/cache');
    await page.locator('main td.number small').first().waitFor();
    const totals = await page.locator('main td.number small').allInnerTexts();
    const unsaid = totals.filter((text) => !/^[\d,]+ in all$/.test(text));
    return promised(
      primary.join() === 'Resume' && title === 'Shortcuts' && unsaid.length === 0 && isClean(tab),
      { primary: primary.join(), title, counts: totals.length, unsaid: unsaid.join() || 0, ...faultsOf(tab) },
    );
  },
};

/** What is promised of incidents and of what an operator looks at in the night. */
export const incidentRows: readonly BenchRow[] = [asked, sent, flood, words];
