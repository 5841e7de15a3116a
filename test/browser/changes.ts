import { readFileSync, writeFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import type { BrowserRow } from './harness/browser-row.ts';
import { type ConsoleTab, faultsOf, isClean, openAs } from './harness/console-tab.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { openScene, type Scene } from './harness/scene.ts';

type AuditLine = {
  readonly action: string;
  readonly actor: string;
  readonly role?: string;
  readonly address?: string;
  readonly reason?: string;
  readonly outcome?: string;
};

/** One change as somebody makes it on the page, and what the audit says of it. */
type Change = {
  readonly action: string;
  readonly view: string;
  /** The button that opens its form. */
  readonly button: RegExp;
  /** What is filled in, by the label of its field. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly checks?: readonly string[];
  /** What the button of the form says. */
  readonly verb: string;
  /** Whether the reason that was given is in the line of the audit. */
  readonly hasReason?: boolean;
  /** What is different before, so that there is something to change. */
  readonly prepare?: (scene: Scene) => void;
};

/** Changes the file of the gateway, so that a reload puts something else in force. */
function editConfig({ gateway }: Scene): void {
  const text = readFileSync(gateway.configFile, 'utf8');
  writeFileSync(gateway.configFile, text.replace('fresh: 10s', 'fresh: 11s'));
}

const REASON = 'because the rows of the browser say so';

const changes: readonly Change[] = [
  {
    ...{ action: 'cache.purge', view: '#/cache', button: /^Purge by tag/, verb: 'Purge' },
    fields: { Tag: 'users', 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{ action: 'keys.create', view: '#/callers', button: /^Create a key/, verb: 'Create key' },
    fields: { 'Whose key it is': 'somebody of the rows', 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{ action: 'keys.rotate', view: '#/callers', button: /^Rotate/, verb: 'Rotate key' },
    fields: { 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{ action: 'keys.revoke', view: '#/callers', button: /^Revoke/, verb: 'Revoke key' },
    fields: { Reason: REASON },
    hasReason: true,
  },
  { action: 'config.reload', view: '#/config', button: /^Reload/, verb: 'Reload', prepare: editConfig },
  {
    ...{ action: 'migrations.hold', view: '#/migration/users', button: /^Hold/, verb: 'Hold' },
    fields: { Reason: REASON },
    hasReason: true,
  },
  {
    ...{ action: 'migrations.resume', view: '#/migration/users', button: /^Resume/, verb: 'Resume' },
    fields: { Reason: REASON },
    hasReason: true,
  },
  {
    ...{
      action: 'migrations.stage',
      view: '#/migration/users',
      button: /^Take a step/,
      verb: 'Take the step',
    },
    checks: ['Force: although the gate refuses it'],
    fields: { 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{
      action: 'migrations.rollback',
      view: '#/migration/users',
      button: /^Roll back/,
      verb: 'Roll back now',
    },
    fields: { Reason: REASON },
    hasReason: true,
  },
];

/** Opens the form of a change, fills it in, and has it done. */
async function make({ page, go }: ConsoleTab, change: Change): Promise<void> {
  await go(change.view);
  await page.getByRole('main').getByRole('button', { name: change.button }).first().click();
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(change.fields ?? {}))
    await dialog.getByLabel(label, { exact: true }).fill(value);
  for (const label of change.checks ?? []) await dialog.getByLabel(label).check();
  await dialog.getByRole('button', { name: change.verb, exact: true }).click();
  await closed(page);
}

/** Waits until a form has been carried out: it closes, or shows what came of it and is closed. */
async function closed(page: Page): Promise<void> {
  const dialog = page.locator('dialog[open]');
  const done = dialog.getByRole('button', { name: 'Done' });
  const refusal = dialog.getByRole('alert');
  await dialog
    .locator('form')
    .waitFor({ state: 'detached' })
    .catch(() => undefined);
  if ((await refusal.count()) > 0) throw new Error(await refusal.innerText());
  if ((await done.count()) > 0) await done.click();
  await dialog.waitFor({ state: 'detached' });
}

async function auditOf({ api }: Scene): Promise<readonly AuditLine[]> {
  const { lines } = await api<{ lines: string[] }>('audit');
  return lines.map((line) => JSON.parse(line) as AuditLine);
}

/** A row that makes changes by hand, each with its line of the audit. */
function byHand(id: string, wanted: readonly Change[], isShort: boolean): BrowserRow {
  return {
    id,
    name: `an operator makes ${wanted.length === 1 ? 'a change' : 'every change'} on the page, and the audit says who, from where and why`,
    isShort,
    async run(bench) {
      const scene = await openScene(bench);
      const tab = await openAs(bench, scene, 'operator');
      const wrong: string[] = [];
      for (const change of wanted) {
        const before = (await auditOf(scene)).length;
        change.prepare?.(scene);
        await make(tab, change).catch((error: unknown) =>
          wrong.push(`${change.action}: ${(error as Error).message.slice(0, 300)}`),
        );
        if (wrong.length > 0) await keepScreenshot(tab.page, `failed-${change.action}`);
        const line = (await auditOf(scene)).slice(before).find(({ action }) => action === change.action);
        const isWhole =
          line?.actor === 'ada' &&
          line.role === 'operator' &&
          line.address === '127.0.0.1' &&
          (change.hasReason !== true || line.reason === REASON);
        if (!isWhole) wrong.push(`${change.action}: ${JSON.stringify(line)}`);
        await tab.page.keyboard.press('Escape');
      }
      const kept = await tab.page.evaluate<string>(
        'JSON.stringify([Object.entries(localStorage), Object.entries(sessionStorage)])',
      );
      return {
        ok: wrong.length === 0 && kept === '[[],[]]' && isClean(tab),
        figure: {
          changes: wanted.length,
          'without their line': wrong.join(' || ').slice(0, 2_000) || 0,
          kept,
          ...faultsOf(tab),
        },
      };
    },
  };
}

type ApiSpec = Readonly<
  Record<string, Readonly<Record<string, { 'x-portico-role'?: string; description?: string }>>>
>;

const viewer: BrowserRow = {
  id: 'changes-3',
  name: 'a viewer sees no control that changes anything, and the gateway refuses every change of a viewer that a page asks for',
  isShort: false,
  async run(bench) {
    const scene = await openScene(bench);
    await scene.sendTraffic();
    const tab = await openAs(bench, scene, 'viewer');
    const shown: string[] = [];
    for (const view of new Set(changes.map((one) => one.view))) {
      await tab.go(view);
      const texts = await tab.page.getByRole('main').getByRole('button').allInnerTexts();
      shown.push(...texts.filter((text) => changes.some(({ button }) => button.test(text))));
    }
    const { paths } = await scene.api<{ paths: ApiSpec }>('openapi.json');
    const asked = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods)
        .filter((method) => ['post', 'patch', 'delete', 'put'].includes(method))
        .map((method) => ({ path: path.replaceAll(/\{[^}]+\}/g, 'users'), method })),
    );
    const statuses = await tab.page.evaluate<Record<string, number>>(`(async () => {
      const found = {};
      for (const { path, method } of ${JSON.stringify(asked)}) {
        if (path === '/api/session' || path === '/api/explain') continue;
        const headers = { 'X-Portico-Console': '1', 'Content-Type': 'application/json' };
        const { status } = await fetch('..' + path, { method: method.toUpperCase(), headers, body: '{}' });
        found[method + ' ' + path] = status;
      }
      return found;
    })()`);
    const explained = await tab.page.evaluate<number>(
      `fetch('../api/explain', { method: 'POST', headers: { 'X-Portico-Console': '1', 'Content-Type': 'application/json' }, body: JSON.stringify({ request: '/v1/users', live: true, reason: 'no' }) }).then(({ status }) => status)`,
    );
    const admitted = Object.entries({ ...statuses, 'post /api/explain live': explained }).filter(
      ([, status]) => status !== 403,
    );
    const lines = await auditOf(scene);
    return {
      ok: shown.length === 0 && admitted.length === 0 && Object.keys(statuses).length > 8 && isClean(tab),
      figure: {
        'controls shown': shown.join(', ') || 0,
        'changes asked for': Object.keys(statuses).length + 1,
        'not refused': admitted.map(([what, status]) => `${what} ${status}`).join(', ') || 0,
        'lines of done changes': lines.filter(({ outcome }) => outcome === 'done').length,
        ...faultsOf(tab),
      },
    };
  },
};

/** What is promised of changes on the page. */
export const changeRows: readonly BrowserRow[] = [
  byHand('changes-1', changes.slice(0, 1), true),
  byHand('changes-2', changes, false),
  viewer,
];
