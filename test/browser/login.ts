import type { Route } from 'playwright-core';
import { eventually } from '../support/time/eventually.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { keptBy } from './harness/accessibility.ts';
import {
  type ConsoleTab,
  faultsOf,
  isClean,
  logIn,
  openAs,
  openConsole,
  sessionOf,
} from './harness/console-tab.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { openScene, TOKENS } from './harness/scene.ts';

const FILTERED = '#/requests?status=5xx';

const inAndOut: BenchRow = {
  id: 'login-1',
  name: 'a wrong token is refused in words, the right one leads to the address that was asked for, and after logging out nothing is shown',
  isShort: true,
  async run(bench) {
    const scene = await openScene(bench);
    const tab = await openConsole(bench, scene, { hash: FILTERED });
    const { page } = tab;
    await page.getByLabel('Token').fill('a-token-of-nobody-at-all');
    await page.getByRole('button', { name: 'Log in' }).click();
    const refusal = await page.getByRole('alert').innerText();
    await keepScreenshot(page, 'login');
    await logIn(tab, 'operator');
    const heading = await page.locator('main h1').innerText();
    const isSame = page.url().endsWith(FILTERED);
    await tab.go('#/cache');
    const headers = await sessionOf(tab);
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await page.goBack().catch(() => undefined);
    await page.reload();
    await page.getByLabel('Token').waitFor();
    const { status } = await fetch(`${scene.gateway.adminUrl}/api/overview`, { headers });
    const ok =
      refusal.includes('no such token') && heading === 'Requests' && isSame && status === 401 && isClean(tab);
    return promised(ok, {
      refusal: refusal.replaceAll('\n', ' '),
      heading,
      'after it': status,
      ...faultsOf(tab),
    });
  },
};

const cookie: BenchRow = {
  id: 'login-2',
  name: 'the session is a cookie that no script reads and no other site sends, and a secret that the tab alone keeps; the token is kept nowhere',
  async run(bench) {
    const scene = await openScene(bench);
    const tab = await openAs(bench, scene, 'operator');
    const cookies = await tab.context.cookies();
    const [session] = cookies;
    const kept = await keptBy(tab.page);
    const whole = kept + JSON.stringify(cookies) + tab.page.url() + (await tab.page.content());
    await tab.page.reload();
    await tab.page.locator('.who').waitFor();
    const ok =
      cookies.length === 1 &&
      session?.httpOnly === true &&
      session.sameSite === 'Strict' &&
      session.value.length >= 32 &&
      !whole.includes(TOKENS.operator) &&
      /^\[\[\],\[\["portico-session-secret \/api\/","[\w-]{43}"\]\],""\]$/.test(kept);
    return promised(ok && isClean(tab), {
      cookies: cookies.length,
      'same site': session?.sameSite ?? 'none',
      kept: kept.replace(/[\w-]{43}/, '…'),
      ...faultsOf(tab),
    });
  },
};

/** Holds all requests to the API until no more come, lets them go on together, and counts how often until the view is complete. */
async function countRounds({ page }: ConsoleTab): Promise<{ rounds: number; first: readonly string[] }> {
  const QUIET_MS = 500;
  let held: Route[] = [];
  let heldAt = 0;
  const rounds: string[][] = [];
  await page.route('**/api/**', (route) => {
    held.push(route);
    heldAt = performance.now();
  });
  await page.reload({ waitUntil: 'commit' });
  const isComplete = async () =>
    (await page.locator('main h1').isVisible()) && (await page.locator('main .skeleton').count()) === 0;
  await eventually(
    async () => {
      if (held.length === 0 || performance.now() - heldAt < QUIET_MS) return isComplete();
      const going = held;
      held = [];
      rounds.push(going.map((route) => new URL(route.request().url()).pathname.replace('/api/', '')).sort());
      await Promise.all(going.map((route) => route.continue()));
      return false;
    },
    { withinMs: 20_000, everyMs: 50 },
  );
  await page.unroute('**/api/**');
  return { rounds: rounds.length, first: rounds[0] ?? [] };
}

const oneRound: BenchRow = {
  id: 'login-3',
  name: 'who is logged in sees the first view after one round of requests to the API, and who is not sees the login alone',
  async run(bench) {
    const scene = await openScene(bench);
    const tab = await openAs(bench, scene, 'viewer', { hash: '#/overview' });
    const { rounds, first } = await countRounds(tab);
    await tab.context.clearCookies();
    await tab.page.reload();
    await tab.page.getByLabel('Token').waitFor();
    const hasEnded = await tab.page.getByText('Your session has ended').count();
    const frames = await tab.page.locator('.frame').count();
    const isAll = first.join() === 'events,metrics/history,overview,session';
    return promised(rounds === 1 && isAll && frames === 0 && hasEnded === 0 && isClean(tab), {
      rounds,
      'in the first': first.join(),
      'views beside the login': frames,
      ...faultsOf(tab),
    });
  },
};

const newTab: BenchRow = {
  id: 'login-4',
  name: 'a new tab signs in for itself, a tab that is loaded again does not, each goes on with its stream, and logging out ends both',
  isShort: true,
  async run(bench) {
    const scene = await openScene(bench);
    const first = await openAs(bench, scene, 'viewer');
    const second = { ...first, page: await first.context.newPage() };
    await second.page.goto(`${scene.gateway.adminUrl}/console/`);
    await second.page.getByLabel('Token').waitFor();
    await logIn(second, 'operator');
    const roles: string[] = [];
    const streams: number[] = [];
    for (const { page } of [second, first, second, first]) {
      await page.bringToFront();
      const stream = page.waitForResponse((response) => response.url().endsWith('/api/events'));
      await page.reload();
      roles.push(
        /operator|viewer/.exec(await page.locator('.who', { hasText: /operator|viewer/ }).innerText())?.[0] ??
          'none',
      );
      streams.push((await stream).status());
      await page.getByText('live', { exact: true }).first().waitFor();
    }
    await first.page.getByRole('button', { name: 'Log out' }).click();
    await first.page.getByLabel('Token').waitFor();
    await second.page.bringToFront();
    await second.page.reload();
    await second.page.getByLabel('Token').waitFor();
    const isOwn = roles.join() === 'operator,viewer,operator,viewer';
    return promised(isOwn && streams.every((status) => status === 200) && isClean(first), {
      roles: roles.join(),
      streams: streams.join(),
      ...faultsOf(first),
    });
  },
};

/** What is promised of logging in. */
export const loginRows: readonly BenchRow[] = [inAndOut, cookie, oneRound, newTab];
