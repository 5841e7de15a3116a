import { dirname, join } from 'node:path';
import type { Page } from 'playwright-core';
import { editFile } from '../../support/gateway/config-copy.ts';
import { LIE_QUESTIONS, lyingCatalog } from '../../support/upstream/lying-catalog.ts';
import { serving } from '../../support/upstream/scripted-upstream.ts';
import type { ConsoleTab } from './console-tab.ts';
import type { Scene } from './scene.ts';

/** One change as somebody makes it on the page, and what the audit says of it. */
export type PageChange = {
  readonly action: string;
  readonly view: string;
  /** The button that opens its form. */
  readonly button: RegExp;
  /** What is filled in, by the label of its field. */
  readonly fields?: Readonly<Record<string, string>>;
  readonly checks?: readonly string[];
  /** What the button of the form says. */
  readonly verb: string;
  /** Where the form refuses and offers another one: what is pressed there, and then as in the first. */
  readonly then?: Pick<PageChange, 'button' | 'fields' | 'verb'>;
  /** Whether the reason that was given is in the line of the audit. */
  readonly hasReason?: boolean;
  /** What is different before, so that there is something to change. */
  readonly prepare?: (scene: Scene) => unknown;
};

/** Changes the file of the gateway, so that a reload puts something else in force. */
function editConfig({ gateway }: Scene): void {
  editFile(gateway.configFile, 'fresh: 10s', 'fresh: 11s');
}

/** Changes what is promised of users, who are moving. */
function editContract({ gateway }: Scene): void {
  editFile(
    join(dirname(gateway.configFile), 'contract.yaml'),
    '    sort: [',
    '    pages: { default: 49 }\n    sort: [',
  );
}

/** Has the catalogue lie, and be found out: a claim of its file is disabled. */
async function tellLies({ catalog, ask, api }: Scene): Promise<void> {
  catalog.become(serving(lyingCatalog));
  for (const path of LIE_QUESTIONS) await ask(path);
  const { disabled } = await api<{ disabled: unknown[] }>('claims');
  if (disabled.length === 0) throw new Error('no claim has been disabled');
}

/** The reason that is given for every change. */
export const REASON = 'because the rows of the browser say so';

/** Every change that the page can make, in an order in which each has something to change. */
export const pageChanges: readonly PageChange[] = [
  {
    ...{ action: 'cache.purge', view: '#/cache', button: /^Purge by tag/, verb: 'Purge' },
    fields: { Tag: 'users', 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{ action: 'keys.create', view: '#/callers', button: /^Create a key/, verb: 'Create key' },
    fields: {
      'Whose key it is': 'somebody of the rows',
      Permissions: 'users:read',
      'Reason (optional)': REASON,
    },
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
  {
    ...{ action: 'config.reload', view: '#/config', button: /^Reload/, verb: 'Reload', prepare: editConfig },
    fields: { 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{
      action: 'config.reload',
      view: '#/config',
      button: /^Reload/,
      verb: 'Reload',
      prepare: editContract,
    },
    then: { button: /^Force the reload/, fields: { Reason: REASON }, verb: 'Reload by force' },
    hasReason: true,
  },
  {
    ...{ action: 'migrations.hold', view: '#/migration/users', button: /^Hold/, verb: 'Hold' },
    fields: { Reason: REASON },
    hasReason: true,
    // A migration begins with a comparison of both sources, which the page leaves to the command line.
    prepare: (scene) => scene.rampUsers(1),
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
    fields: { Reason: REASON },
    hasReason: true,
  },
  {
    ...{ action: 'migrations.ignore', view: '#/migration/users', button: /^Add a rule/ },
    verb: 'Add the rule',
    fields: { Path: 'data[].name', Reason: REASON },
    hasReason: true,
  },
  {
    ...{ action: 'migrations.unignore', view: '#/migration/users', button: /^Remove/ },
    verb: 'Remove the rule',
    fields: { 'Reason (optional)': REASON },
    hasReason: true,
  },
  {
    ...{ action: 'claims.reset', view: '#/quality', button: /^Believe again/, verb: 'Believe again' },
    fields: { 'Reason (optional)': REASON },
    hasReason: true,
    prepare: tellLies,
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
export async function make({ page, go }: ConsoleTab, change: PageChange): Promise<void> {
  await go(change.view);
  await page.getByRole('main').getByRole('button', { name: change.button }).first().click();
  await fillIn(page, change);
  if (change.then !== undefined) {
    await page.getByRole('dialog').getByRole('button', { name: change.then.button }).click();
    await fillIn(page, change.then);
  }
  await closed(page);
}

/** Fills in the form that is open, and has it done. */
async function fillIn(page: Page, change: Pick<PageChange, 'fields' | 'checks' | 'verb'>): Promise<void> {
  const dialog = page.getByRole('dialog');
  for (const [label, value] of Object.entries(change.fields ?? {}))
    await dialog.getByLabel(label, { exact: true }).fill(value);
  for (const label of change.checks ?? []) await dialog.getByLabel(label).check();
  await dialog.getByRole('button', { name: change.verb, exact: true }).click();
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
