import { type BenchRow, promised } from '../faults/harness/row.ts';
import { faultsOf, FETCH_IN_TAB, isClean, openAs } from './harness/console-tab.ts';
import { make, type PageChange, pageChanges, REASON } from './harness/page-changes.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { openScene, type Scene } from './harness/scene.ts';

type AuditLine = {
  readonly action: string;
  readonly actor: string;
  readonly target?: string;
  readonly role?: string;
  readonly address?: string;
  readonly reason?: string;
  readonly outcome?: string;
};

async function auditOf({ api }: Scene): Promise<readonly AuditLine[]> {
  const { lines } = await api<{ lines: string[] }>('audit');
  return lines.map((line) => JSON.parse(line) as AuditLine);
}

/** Whether the audit says of a change who has made it, in which role and from where. */
function isOfAda(line: AuditLine | undefined): boolean {
  return line?.actor === 'ada' && line.role === 'operator' && line.address === '127.0.0.1';
}

/** A row that makes changes by hand, each with its line of the audit. */
function byHand(id: string, wanted: readonly PageChange[], isShort: boolean): BenchRow {
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
        await change.prepare?.(scene);
        await make(tab, change).catch((error: unknown) =>
          wrong.push(`${change.action}: ${(error as Error).message.slice(0, 300)}`),
        );
        if (wrong.length > 0) await keepScreenshot(tab.page, `failed-${change.action}`);
        const line = (await auditOf(scene)).slice(before).findLast(({ action }) => action === change.action);
        const isWhole = isOfAda(line) && (change.hasReason !== true || line?.reason === REASON);
        if (!isWhole) wrong.push(`${change.action}: ${JSON.stringify(line)}`);
        await tab.page.keyboard.press('Escape');
      }
      const kept = await tab.page.evaluate<string>(
        'JSON.stringify([Object.entries(localStorage), Object.keys(sessionStorage)])',
      );
      const isOnlySecret = kept === '[[],["portico-session-secret /api/"]]';
      return promised(wrong.length === 0 && isOnlySecret && isClean(tab), {
        changes: wanted.length,
        'without their line': wrong.join(' || ').slice(0, 2_000) || 0,
        kept,
        ...faultsOf(tab),
      });
    },
  };
}

type ApiSpec = Readonly<
  Record<string, Readonly<Record<string, { 'x-portico-role'?: string; description?: string }>>>
>;

const viewer: BenchRow = {
  id: 'changes-3',
  name: 'a viewer sees no control that changes anything, and the gateway refuses every change of a viewer that a page asks for',
  async run(bench) {
    const scene = await openScene(bench);
    await scene.sendTraffic();
    const tab = await openAs(bench, scene, 'viewer');
    const shown: string[] = [];
    for (const view of new Set(pageChanges.map((one) => one.view))) {
      await tab.go(view);
      const texts = await tab.page.getByRole('main').getByRole('button').allInnerTexts();
      shown.push(...texts.filter((text) => pageChanges.some(({ button }) => button.test(text))));
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
        const { status } = await ${FETCH_IN_TAB}('..' + path, { method: method.toUpperCase(), headers, body: '{}' });
        found[method + ' ' + path] = status;
      }
      return found;
    })()`);
    const explained = await tab.page.evaluate<number>(
      `${FETCH_IN_TAB}('../api/explain', { method: 'POST', headers: { 'X-Portico-Console': '1', 'Content-Type': 'application/json' }, body: JSON.stringify({ request: '/v1/users', live: true, reason: 'no' }) }).then(({ status }) => status)`,
    );
    const admitted = Object.entries({ ...statuses, 'post /api/explain live': explained }).filter(
      ([, status]) => status !== 403,
    );
    const lines = await auditOf(scene);
    return promised(
      shown.length === 0 && admitted.length === 0 && Object.keys(statuses).length > 8 && isClean(tab),
      {
        'controls shown': shown.join(', ') || 0,
        'changes asked for': Object.keys(statuses).length + 1,
        'not refused': admitted.map(([what, status]) => `${what} ${status}`).join(', ') || 0,
        'lines of done changes': lines.filter(({ outcome }) => outcome === 'done').length,
        ...faultsOf(tab),
      },
    );
  },
};

const explained: BenchRow = {
  id: 'changes-4',
  name: 'a source that an operator has asked on the page is a line of the audit with the operation, and without the query',
  async run(bench) {
    const scene = await openScene(bench);
    const tab = await openAs(bench, scene, 'operator', { hash: '#/try' });
    const main = tab.page.getByRole('main');
    await main.getByLabel('Request').fill('/v1/users?limit=3&sort=-created_at');
    const before = (await auditOf(scene)).length;
    await main.getByRole('button', { name: 'Explain' }).click();
    await main.locator('section', { hasText: 'The source was not asked.' }).waitFor();
    const planned = (await auditOf(scene)).length - before;
    await main.getByLabel('Ask the source (audited)').check();
    await main.getByRole('button', { name: 'Explain' }).click();
    await main.getByRole('heading', { name: 'Calls that were made' }).waitFor();
    const lines = (await auditOf(scene)).slice(before);
    const [line] = lines;
    const isWhole = isOfAda(line) && line?.action === 'explain' && line.target === 'live users.list';
    const shown = await main.innerText();
    const isTold = /Configuration\s+rev \d+/.test(shown) && /, ok by \S+crm\.yaml:\d+/.test(shown);
    const hasQuery = JSON.stringify(lines).includes('created_at');
    return promised(planned === 0 && lines.length === 1 && isWhole && isTold && !hasQuery && isClean(tab), {
      'lines of a plan': planned,
      'lines of a live explanation': lines.length,
      'tells configuration and rule': String(isTold),
      line: `${line?.actor ?? ''} ${line?.action ?? ''} ${line?.target ?? ''}: ${line?.reason ?? ''}`,
      ...faultsOf(tab),
    });
  },
};

const approved: BenchRow = {
  id: 'changes-5',
  name: 'a step that waits is approved on the page by another operator alone, and the next one says whom it reaches',
  async run(bench) {
    const migration = { to: 'people', approvals: 1 };
    const scene = await openScene(bench, { config: { resources: { users: { migration } } } });
    await scene.rampUsers(25);
    const approve = async (role: 'operator' | 'second') => {
      const tab = await openAs(bench, scene, role, { hash: '#/migration/users' });
      const dialog = tab.page.getByRole('dialog');
      const waits = await tab.text();
      await tab.page.getByRole('button', { name: 'Approve' }).click();
      await dialog.getByLabel('Reason').fill(REASON);
      await dialog.getByRole('button', { name: 'Approve' }).click();
      return { tab, dialog, waits };
    };
    const own = await approve('operator');
    const refused = await own.dialog.getByRole('alert').innerText();
    const { tab, dialog, waits } = await approve('second');
    await dialog.waitFor({ state: 'detached' });
    const line = (await auditOf(scene)).findLast(({ action }) => action === 'migrations.approve');
    // Callers are counted from the shadow on.
    await scene.sendTraffic();
    await tab.page.getByRole('button', { name: 'Take a step' }).click();
    const reach = await dialog.getByText(/50 % reaches \d+ of \d+ callers of the last hour/).innerText();
    const isWhole = line?.actor === 'cyd' && line.outcome === 'done' && line.reason === REASON;
    const isTold = /Waits for an approval\s+ramp 25, asked for by ada/.test(waits);
    return promised(isWhole && isTold && refused.includes('ada has asked for this step') && isClean(tab), {
      ...{ 'told before': String(isTold), refused: refused.split('\n')[0] ?? '', reach },
      line: `${line?.actor ?? ''} ${line?.action ?? ''}: ${line?.reason ?? ''}`,
      ...faultsOf(tab),
    });
  },
};

/** What is promised of changes on the page. */
export const changeRows: readonly BenchRow[] = [
  byHand('changes-1', pageChanges.slice(0, 1), true),
  byHand('changes-2', pageChanges, false),
  viewer,
  explained,
  approved,
];
