import type { Locator, Page } from 'playwright-core';
import type { FaultBench } from '../faults/harness/bench.ts';
import { serving } from '../support/upstream/scripted-upstream.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { faultsOf, isClean, openAs } from './harness/console-tab.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { openScene, type Scene } from './harness/scene.ts';

/** A question that an operator has at night. It is asked on the overview, and answered with three clicks at most. */
type Question = {
  readonly question: string;
  /** What is clicked, in order. */
  readonly clicks: readonly ((page: Page) => Locator)[];
  /** The point in time that is asked for, and the label of the field that takes it: it counts as a click. */
  readonly point?: { readonly label: string; readonly of: keyof Moments };
  /** What the view says then. */
  readonly answer: RegExp;
};

/** When something became different, each to the minute, as a field for a point in time takes it. */
type Moments = { readonly badField: string; readonly purge: string };

const MINUTE_MS = 60_000;
const CLICKS_MAX = 3;

const nav = (title: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title });
const row = (text: RegExp) => (page: Page) =>
  page.locator('main tbody tr', { hasText: text }).first().getByRole('link').first();

const questions: readonly Question[] = [
  {
    question: 'Is anything wrong right now?',
    clicks: [],
    answer: /Incidents[\s\S]*critical[\s\S]*source catalog: answers 500/,
  },
  {
    question: 'Which source is it, and what does it answer?',
    clicks: [row(/catalog/)],
    answer: /Outcomes of calls[\s\S]*5xx/,
  },
  {
    question: 'Why is p99 up?',
    clicks: [
      nav('Requests'),
      (page) => page.getByRole('table', { name: 'requests' }).getByRole('link').first(),
    ],
    answer: /Where its time went[\s\S]*Most of it, .* was /,
  },
  {
    question: 'Why did this request fail, and what do I do?',
    clicks: [
      nav('Requests'),
      row(/502|503/),
      (page) =>
        page
          .locator('main')
          .getByRole('link', { name: /runbook/i })
          .first(),
    ],
    answer: /Code[\s\S]*upstream_/,
  },
  {
    question: 'Who is being refused?',
    clicks: [nav('Callers & keys')],
    answer: /Caller[\s\S]*4xx[\s\S]*429[\s\S]*configured/,
  },
  {
    question: 'What does a sort by name cost?',
    clicks: [row(/crm/)],
    answer: /What queries cost[\s\S]*sort[\s\S]*scan/i,
  },
  {
    question: 'Which field went bad since then?',
    clicks: [nav('Data quality')],
    point: { label: 'Which went bad since (UTC)', of: 'badField' },
    answer: /Line\s*price.*began since then/,
  },
  {
    question: 'May I go on with the migration?',
    clicks: [nav('Migration')],
    answer: /Next step[\s\S]*(not yet ready|ready) for[\s\S]*Gate to/,
  },
  {
    question: 'What changed at that time, and who did it?',
    clicks: [nav('Audit')],
    point: { label: 'What changed at (UTC)', of: 'purge' },
    answer: /(before|after) #\d+.*cache\.purge[\s\S]*users[\s\S]*the names were wrong/,
  },
  {
    question: 'Do all processes have the same configuration?',
    clicks: [nav('Configuration')],
    answer: /In force[\s\S]*its one process has it/,
  },
];

/** Addresses that somebody sends to a colleague, and what they say. */
const addressesOf = ({ badField, purge }: Moments): readonly (readonly [string, RegExp])[] => [
  [`#/quality?since=${badField}`, /Line\s*price.*began since then/],
  [`#/audit?at=${purge.slice(11)}`, /cache\.purge/],
  ['#/audit?at=2020-01-01T14:02', /Nothing was changed in this time/],
  [`#/config?at=${minuteOf(Date.now() + MINUTE_MS)}`, /In force at[\s\S]*Now\s*the same/],
  ['#/config?at=2020-01-01T14:02', /This gateway did not run then/],
];

/** A page of products; without a price that can be read if so wanted. */
const products = (isBad: boolean) => () => ({
  headers: { 'X-Result-Count': '3' },
  body: [1, 2, 3].map((sku) => ({
    sku: String(sku),
    nm: `n${sku}`,
    prc: isBad ? 'much' : '1990',
    cc: 'TOY',
  })),
});

const minuteOf = (ms: number) => new Date(ms).toISOString().slice(0, 16);

/** Has the price of products go bad at the beginning of a minute, then the catalogue fail, and a tag be purged. */
async function openNight(bench: FaultBench): Promise<{ readonly scene: Scene; readonly moments: Moments }> {
  const scene = await openScene(bench);
  const { catalog, ask, api } = scene;
  await scene.rampUsers(25);
  catalog.become(serving(products(false)));
  await scene.sendTraffic();
  await bench.sleep(MINUTE_MS - (Date.now() % MINUTE_MS));
  const badField = minuteOf(Date.now());
  catalog.become(serving(products(true)));
  for (const limit of [1, 2, 3, 4]) await ask(`/v1/products?limit=${limit}`);
  catalog.become(serving(() => ({ status: 500, body: { fault: 'DOWN' } })));
  for (let round = 0; round < 6; round += 1) await scene.sendTraffic();
  const purge = minuteOf(Date.now());
  await api('cache/purge', { body: { tag: 'users', reason: 'the names were wrong' } });
  return { scene, moments: { badField, purge } };
}

const atNight: BenchRow = {
  id: 'questions-1',
  name: 'ten questions of an operator at night are answered with three clicks at most, each from the overview',
  async run(bench) {
    const { scene, moments } = await openNight(bench);
    const tab = await openAs(bench, scene, 'operator');
    const { page } = tab;
    await page.locator('section.attention li.incident').first().waitFor({ timeout: 40_000 });
    const wrong: string[] = [];
    const clicked: number[] = [];
    for (const { question, clicks, point, answer } of questions) {
      await tab.go('#/overview');
      let text = '';
      try {
        for (const click of clicks) await click(page).click({ timeout: 8_000 });
        if (point !== undefined) await page.getByLabel(point.label).fill(moments[point.of]);
        await page.locator('main', { hasText: answer }).waitFor({ timeout: 8_000 });
      } catch {
        text = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ').slice(0, 400);
      }
      clicked.push(clicks.length + (point === undefined ? 0 : 1));
      if (text !== '') {
        wrong.push(`${question} ${text}`);
        await keepScreenshot(page, `question-${clicked.length}`);
      }
    }
    for (const [address, answer] of addressesOf(moments)) {
      await tab.go(address);
      await page
        .locator('main', { hasText: answer })
        .waitFor({ timeout: 8_000 })
        .catch(() => wrong.push(`${address} does not say ${String(answer)}`));
    }
    return promised(
      wrong.length === 0 && clicked.length === 10 && Math.max(...clicked) <= CLICKS_MAX && isClean(tab),
      {
        questions: clicked.length,
        'clicks at most': Math.max(...clicked),
        'clicks in all': clicked.reduce((sum, one) => sum + one, 0),
        unanswered: wrong.join(' || ').slice(0, 3_000) || 0,
        ...faultsOf(tab),
      },
    );
  },
};

/** What is promised to an operator who looks for something. */
export const questionRows: readonly BenchRow[] = [atNight];
