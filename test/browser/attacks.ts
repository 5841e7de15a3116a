import { attack, attacks, framed, stateOf } from './attacks/other-origins.ts';
import { HACKED, hostileAddresses, hostileTexts } from './attacks/injected-texts.ts';
import { otherPort } from './attacks/other-port.ts';
import { startAttacker } from './harness/attacker.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { launchChromium } from './harness/chromium.ts';
import { faultsOf, FETCH_IN_TAB, isClean, openAs, sessionOf } from './harness/console-tab.ts';
import { openScene } from './harness/scene.ts';
import { openTab } from './harness/watched-tab.ts';

const forged: BenchRow = {
  id: 'attacks-1',
  name: 'no page of another origin changes or reads anything with the session of an operator: forms, fetch, images, scripts, streams',
  async run(bench) {
    const scene = await openScene(bench);
    const { adminUrl } = scene.gateway;
    const attacker = bench.own(await startAttacker());
    const operator = await openAs(bench, scene, 'operator');
    const before = await stateOf(scene);
    const page = await operator.context.newPage();
    const successes: string[] = [];
    let made = 0;
    for (const from of [attacker.otherSite, attacker.sameSite])
      for (const one of attacks) {
        const { read, statuses } = await attack(page, from, adminUrl, one);
        made += 1;
        if (read !== '' || statuses.some((status) => status >= 200 && status < 300))
          successes.push(`${one.name} from ${from}: ${statuses.join(' ')} ${read.slice(0, 80)}`);
      }
    const after = await stateOf(scene);
    await operator.page.bringToFront();
    const status = await operator.page.evaluate<number>(
      `${FETCH_IN_TAB}('../api/session').then(({ status }) => status)`,
    );
    return promised(successes.length === 0 && before === after && status === 200, {
      attacks: made,
      succeeded: successes.join(' || ').slice(0, 2_000) || 0,
      changed: Number(before !== after),
      'session after it': status,
    });
  },
};

const inFrames: BenchRow = {
  id: 'attacks-2',
  name: 'no page puts the console, its API or the API page into a frame, and none gets hold of its window',
  async run(bench) {
    const scene = await openScene(bench);
    const { adminUrl, url } = scene.gateway;
    const attacker = bench.own(await startAttacker());
    const operator = await openAs(bench, scene, 'operator');
    const page = await operator.context.newPage();
    const successes: string[] = [];
    const targets = [...framed.map((path) => adminUrl + path), `${url}/docs`];
    for (const from of [attacker.otherSite, attacker.sameSite])
      for (const target of targets) {
        await page.goto(from);
        await page.evaluate(`new Promise((resolve) => {
          const frame = Object.assign(document.createElement('iframe'), { src: '${target}' });
          frame.onload = resolve;
          document.body.append(frame);
          setTimeout(resolve, 3000);
        })`);
        const frame = page.frames().find((one) => one !== page.mainFrame());
        const text =
          (await frame
            ?.locator('body')
            .innerText({ timeout: 2_000 })
            .catch(() => '')) ?? '';
        if (/Portico|Overview|Reference|"sources"/.test(text)) successes.push(`${target} in ${from}`);
      }
    await page.goto(attacker.sameSite);
    const held = await page.evaluate<string>(`(async () => {
      const opened = window.open('${adminUrl}/console/');
      await new Promise((resolve) => setTimeout(resolve, 1500));
      try { return opened.document.title; } catch { return ''; }
    })()`);
    if (held !== '') successes.push(`the window of the console: ${held}`);
    return promised(successes.length === 0, {
      attacks: 2 * targets.length + 1,
      succeeded: successes.join(' || ') || 0,
    });
  },
};

const REBOUND = 'portico.attacker.example';

/** Reads and changes that a page would make once its name points to this machine. */
const REBOUND_ASKS = [
  ['GET', '/api/overview'],
  ['GET', '/api/config'],
  ['GET', '/api/audit'],
  ['GET', '/metrics'],
  ['GET', '/api/events'],
  ['POST', '/api/cache/purge'],
  ['POST', '/api/keys'],
  ['POST', '/api/config/reload'],
] as const;

const rebound: BenchRow = {
  id: 'attacks-3',
  name: 'a name that is made to point to this machine gets nothing of a listener without tokens',
  async run(bench) {
    const scene = await openScene(bench, { hasTokens: false });
    const { port } = new URL(scene.gateway.adminUrl);
    const browser = bench.own(await launchChromium(`--host-resolver-rules=MAP ${REBOUND} 127.0.0.1`));
    const origin = `http://${REBOUND}:${port}`;
    const { page } = bench.own(await openTab({ browser, origins: [origin] }));
    await page.goto(`${origin}/console/`);
    const admitted: string[] = [];
    for (const [method, path] of REBOUND_ASKS) {
      const status = await page.evaluate<number>(
        `fetch('${path}', { method: '${method}', ${method === 'POST' ? `body: '{"tag":"*"}', headers: { 'Content-Type': 'application/json', 'X-Portico-Console': '1' }` : ''} }).then(({ status }) => status)`,
      );
      if (status < 400) admitted.push(`${method} ${path} ${status}`);
    }
    return promised(admitted.length === 0, {
      attacks: REBOUND_ASKS.length,
      admitted: admitted.join(', ') || 0,
    });
  },
};

const injected: BenchRow = {
  id: 'attacks-4',
  name: 'names and values that would run are shown as text: of keys, reasons, requests, files and addresses',
  async run(bench) {
    const scene = await openScene(bench);
    const { api } = scene;
    const successes: string[] = [];
    let tried = 0;
    for (const text of hostileTexts) {
      const permissions = ['users:read'];
      await api('keys', { body: { label: text.slice(0, 60), permissions, reason: text } }).then(
        () => (tried += 1),
        () => undefined,
      );
      await api('cache/purge', { body: { tag: `users:${text.slice(0, 50)}`, reason: text } }).then(
        () => (tried += 1),
        () => undefined,
      );
      await fetch(`${scene.gateway.url}/v1/products?category=${encodeURIComponent(text)}`, {
        headers: { 'x-api-key': scene.gateway.configuredKey, 'user-agent': 'hostile' },
      });
    }
    const tab = await openAs(bench, scene, 'operator');
    tab.page.on('dialog', (dialog) => {
      successes.push('a dialog');
      void dialog.dismiss();
    });
    for (const hash of ['#/callers', '#/audit', '#/requests', '#/cache', '#/config', ...hostileAddresses]) {
      await tab.page.evaluate(`location.hash = ${JSON.stringify(hash)}`);
      await tab.page.locator('main h1').waitFor();
      await tab.page.locator('main .skeleton').first().waitFor({ state: 'detached' });
      const hacked = await tab.page.evaluate<number>(HACKED);
      if (hacked > 0) successes.push(`${hash}: ${hacked}`);
    }
    await tab.go('#/audit');
    const audit = await tab.text();
    const asText = hostileTexts.filter((text) => audit.includes(text)).length;
    return promised(successes.length === 0 && asText > 0 && isClean(tab), {
      attacks: tried + hostileAddresses.length,
      'shown as text': asText,
      ran: successes.join(' || ') || 0,
      ...faultsOf(tab),
    });
  },
};

const afterwards: BenchRow = {
  id: 'attacks-5',
  name: 'a session cannot be given to somebody, and nobody comes back into one that has ended: by history, by the old cookie, by a second one',
  async run(bench) {
    const scene = await openScene(bench);
    const { adminUrl } = scene.gateway;
    const successes: string[] = [];
    const planted = 'planted-by-an-attacker-0123456789abcdef0123456789';
    const tab = await openAs(bench, scene, 'operator');
    const [session] = await tab.context.cookies();
    const { cookie: old, ...secret } = await sessionOf(tab);
    const statusOf = (cookie: string) =>
      fetch(`${adminUrl}/api/overview`, { headers: { cookie, ...secret } }).then(({ status }) => status);
    if ((await statusOf(old)) !== 200) successes.push('the session does not work at all');
    if ((await statusOf(`${session?.name ?? ''}=${planted}`)) === 200) successes.push('a made-up session');
    if ((await statusOf(`${old}; ${session?.name ?? ''}=${planted}`)) === 200) successes.push('two cookies');
    for (const hash of ['#/callers', '#/cache']) await tab.go(hash);
    await tab.page.getByRole('button', { name: 'Log out' }).click();
    await tab.page.getByLabel('Token').waitFor();
    if ((await statusOf(old)) === 200) successes.push('the cookie of a session that has ended');
    for (const step of ['back', 'forward', 'reload'] as const) {
      if (step === 'back') await tab.page.goBack().catch(() => undefined);
      if (step === 'forward') await tab.page.goForward().catch(() => undefined);
      if (step === 'reload') await tab.page.reload();
      await tab.page.getByLabel('Token').waitFor();
      if ((await tab.page.locator('main table').count()) > 0) successes.push(`figures after ${step}`);
    }
    // An attacker who gives somebody a session of his own would see what is done in it.
    await tab.context.addCookies([{ name: session?.name ?? '', value: planted, url: `${adminUrl}/` }]);
    await tab.page.getByLabel('Token').fill('a-token-of-ada-the-operator');
    await tab.page.getByRole('button', { name: 'Log in' }).click();
    await tab.page.locator('.who').waitFor();
    if ((await statusOf(`${session?.name ?? ''}=${planted}`)) === 200)
      successes.push('a planted session was taken over');
    return promised(successes.length === 0, { attacks: 8, succeeded: successes.join(' || ') || 0 });
  },
};

/** What is promised where somebody attacks an operator's browser. */
export const attackRows: readonly BenchRow[] = [forged, inFrames, rebound, injected, afterwards, otherPort];
