import type { FaultBench } from '../../faults/harness/bench.ts';
import { type Role, type Scene, TOKENS } from './scene.ts';
import { openTab, type TabOptions, type WatchedTab } from './watched-tab.ts';

/** A tab on the console of a scene. */
export type ConsoleTab = WatchedTab & {
  /** Goes to a view by its address, such as `#/cache`, and waits until it has its figures. */
  readonly go: (hash: string) => Promise<void>;
  /** The text of the view, as a reader sees it. */
  readonly text: () => Promise<string>;
};

/** Every view with something in it, by the name of its picture; `request`: one that failed, `incident`: one that is open. */
export function viewsOf(request: string, incident = 'none'): Readonly<Record<string, string>> {
  return {
    overview: '#/overview',
    ...(incident !== 'none' && { incident: `#/incident/${incident}` }),
    source: '#/source/catalog',
    passthrough: '#/source/passthrough.orders',
    requests: '#/requests',
    request: `#/request/${request}`,
    try: `#/try?q=${encodeURIComponent('/v1/users?sort=name')}`,
    callers: '#/callers',
    cache: '#/cache',
    quality: '#/quality',
    'quality since': '#/quality?since=00:00',
    migration: '#/migration/users',
    config: '#/config',
    'config at': '#/config?at=2020-01-01T14:02',
    audit: '#/audit',
    'audit at': '#/audit?at=23:59',
  };
}

/** A function for a script in the page: `fetch` with the secret of the tab, as the console sends it. */
export const FETCH_IN_TAB = `((path, { headers, ...options } = {}) =>
  fetch(path, { ...options, headers: { ...headers, 'X-Portico-Session-Secret': Object.values(sessionStorage)[0] ?? '' } }))`;

/** What the browser and the tab have of a session, as headers. */
export async function sessionOf({ page, context }: Pick<ConsoleTab, 'page' | 'context'>) {
  const cookies = await context.cookies();
  const secret = await page.evaluate<string>("Object.values(sessionStorage)[0] ?? ''");
  const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  return { cookie, 'x-portico-session-secret': secret };
}

/** Opens the console at an address, before anybody has logged in. */
export async function openConsole(
  bench: FaultBench,
  { gateway }: Scene,
  { hash = '', ...options }: Partial<TabOptions> & { readonly hash?: string } = {},
): Promise<ConsoleTab> {
  const tab = bench.own(await openTab({ origins: [gateway.adminUrl], ...options }));
  const { page } = tab;
  await page.goto(`${gateway.adminUrl}/console/${hash}`);
  async function settled(): Promise<void> {
    await page.locator('main h1').waitFor();
    await page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  }
  return {
    ...tab,
    async go(to) {
      await page.evaluate(`location.hash = ${JSON.stringify(to)}`);
      await settled();
    },
    text: () => page.locator('main').innerText(),
  };
}

/** Gives a token, as somebody does who logs in. */
export async function logIn({ page }: Pick<ConsoleTab, 'page'>, role: Role): Promise<void> {
  await page.getByLabel('Token').fill(TOKENS[role]);
  await page.getByRole('button', { name: 'Log in' }).click();
  await page.locator('.who').waitFor({ state: 'attached' });
}

/** Opens the console, and logs in. */
export async function openAs(
  bench: FaultBench,
  scene: Scene,
  role: Role,
  options: Parameters<typeof openConsole>[2] = {},
): Promise<ConsoleTab> {
  const tab = await openConsole(bench, scene, options);
  await logIn(tab, role);
  await tab.page.locator('main .skeleton').first().waitFor({ state: 'detached' });
  return tab;
}

/** What the browser has seen that it must not, as a figure. */
export function faultsOf({ seen }: WatchedTab) {
  return {
    'foreign requests': seen.foreign.length,
    'CSP violations': seen.violations.length,
    'script errors': seen.errors.length === 0 ? 0 : [...new Set(seen.errors)].join('; ').slice(0, 1_500),
  };
}

/** Whether it has seen nothing of that kind. */
export function isClean({ seen }: WatchedTab): boolean {
  return seen.foreign.length + seen.violations.length + seen.errors.length === 0;
}
