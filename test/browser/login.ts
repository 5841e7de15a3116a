import type { BrowserRow } from './harness/browser-row.ts';
import { keptBy } from './harness/accessibility.ts';
import { faultsOf, isClean, logIn, openAs, openConsole } from './harness/console-tab.ts';
import { keepScreenshot } from './harness/run-options.ts';
import { openScene, TOKENS } from './harness/scene.ts';

const FILTERED = '#/requests?status=5xx';

const inAndOut: BrowserRow = {
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
    await page.getByRole('button', { name: 'Log out' }).click();
    await page.getByLabel('Token').waitFor();
    await page.goBack().catch(() => undefined);
    await page.reload();
    await page.getByLabel('Token').waitFor();
    const status = await page.evaluate<number>("fetch('../api/overview').then(({ status }) => status)");
    const ok =
      refusal.includes('no such token') && heading === 'Requests' && isSame && status === 401 && isClean(tab);
    return {
      ok,
      figure: { refusal: refusal.replaceAll('\n', ' '), heading, 'after it': status, ...faultsOf(tab) },
    };
  },
};

const cookie: BrowserRow = {
  id: 'login-2',
  name: 'the session is a cookie that no script reads and no other site sends, and the token is kept nowhere',
  isShort: false,
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
      kept === '[[],[],""]';
    return {
      ok: ok && isClean(tab),
      figure: { cookies: cookies.length, 'same site': session?.sameSite ?? 'none', kept, ...faultsOf(tab) },
    };
  },
};

/** What is promised of logging in. */
export const loginRows: readonly BrowserRow[] = [inAndOut, cookie];
