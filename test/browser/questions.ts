import type { Locator, Page } from 'playwright-core';
import type { BrowserRow } from './harness/browser-row.ts';
import { faultsOf, isClean, openAs } from './harness/console-tab.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { openScene } from './harness/scene.ts';

/** A question that an operator has at night. It is asked on the overview, and answered with three clicks at most. */
type Question = {
  readonly question: string;
  /** What is clicked, in order. */
  readonly clicks: readonly ((page: Page) => Locator)[];
  /** What the view says then. */
  readonly answer: RegExp;
};

const CLICKS_MAX = 3;

const nav = (title: string) => (page: Page) =>
  page.getByRole('navigation', { name: 'Views' }).getByRole('link', { name: title });
const row = (text: RegExp) => (page: Page) =>
  page.locator('main tbody tr', { hasText: text }).first().getByRole('link').first();

const questions: readonly Question[] = [
  {
    question: 'Is anything wrong right now?',
    clicks: [],
    answer: /Needs attention[\s\S]*(critical|warning)[\s\S]*catalog/,
  },
  {
    question: 'Which source is it, and what does it answer?',
    clicks: [row(/catalog/)],
    answer: /Outcomes by rule[\s\S]*5xx/,
  },
  {
    question: 'Why is p99 up?',
    clicks: [nav('Requests'), (page) => page.locator('main tbody tr').first().getByRole('link').first()],
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
    question: 'Which field has gone bad?',
    clicks: [nav('Data quality')],
    answer: /Field[\s\S]*(missing|unreadable)/i,
  },
  {
    question: 'May I go on with the migration?',
    clicks: [nav('Migration')],
    answer: /Next step[\s\S]*(not yet ready|ready) for[\s\S]*Gate to/,
  },
  {
    question: 'What changed, and who did it?',
    clicks: [nav('Audit')],
    answer: /cache\.purge[\s\S]*users[\s\S]*the names were wrong/,
  },
  {
    question: 'Do all processes have the same configuration?',
    clicks: [nav('Configuration')],
    answer: /In force[\s\S]*its one process has it/,
  },
];

const atNight: BrowserRow = {
  id: 'questions-1',
  name: 'ten questions of an operator at night are answered with three clicks at most, each from the overview',
  isShort: false,
  async run(bench) {
    const scene = await openScene(bench);
    await scene.rampUsers(25);
    for (let round = 0; round < 6; round += 1) await scene.sendTraffic();
    await scene.api('cache/purge', { body: { tag: 'users', reason: 'the names were wrong' } });
    const tab = await openAs(bench, scene, 'operator');
    const { page } = tab;
    await page.locator('section.attention li').first().waitFor({ timeout: 40_000 });
    const wrong: string[] = [];
    const clicked: number[] = [];
    for (const { question, clicks, answer } of questions) {
      await tab.go('#/overview');
      let text = '';
      try {
        for (const click of clicks) await click(page).click({ timeout: 8_000 });
        await page.locator('main', { hasText: answer }).waitFor({ timeout: 8_000 });
      } catch {
        text = (await page.locator('body').innerText()).replaceAll(/\s+/g, ' ').slice(0, 400);
      }
      clicked.push(clicks.length);
      if (text !== '') {
        wrong.push(`${question} ${text}`);
        await keepScreenshot(page, `question-${clicked.length}`);
      }
    }
    return {
      ok: wrong.length === 0 && clicked.length === 10 && Math.max(...clicked) <= CLICKS_MAX && isClean(tab),
      figure: {
        questions: clicked.length,
        'clicks at most': Math.max(...clicked),
        'clicks in all': clicked.reduce((sum, one) => sum + one, 0),
        unanswered: wrong.join(' || ').slice(0, 3_000) || 0,
        ...faultsOf(tab),
      },
    };
  },
};

/** What is promised to an operator who looks for something. */
export const questionRows: readonly BrowserRow[] = [atNight];
