import { readFileSync } from 'node:fs';
import type { FaultBench } from '../faults/harness/bench.ts';
import { findBarriers, keptBy, overflow } from './harness/accessibility.ts';
import { startBelowAPath } from './harness/below-a-path.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { keepForReadme, keepScreenshot, README_FOLDER } from './harness/run-options.ts';
import { openTab, type TabOptions } from './harness/watched-tab.ts';

/** A gateway of this process alone, and a tab on its API page. */
async function openDocs(bench: FaultBench, options: Partial<TabOptions> = {}, address = '/docs') {
  const gateway = await bench.gateway({ env: { REDIS_URL: '' }, keys: 0 });
  const tab = bench.own(await openTab({ origins: [gateway.url], ...options }));
  await tab.page.goto(gateway.url + address);
  await tab.page.locator('form.try').first().waitFor();
  return { gateway, ...tab };
}

type Docs = Awaited<ReturnType<typeof openDocs>>;

/** Gives the page a key, and asks for the users with it. Returns what the form shows: the status, and the answer below. */
async function tryOut({ page, gateway }: Pick<Docs, 'page' | 'gateway'>) {
  await page.getByLabel('Your key or token').fill(gateway.configuredKey);
  const form = page.getByRole('form', { name: 'Try it: List users' });
  await form.getByLabel('limit').fill('2');
  await form.getByRole('button').click();
  const answer = form.getByRole('group');
  await answer.waitFor();
  return { status: await form.getByRole('status').innerText(), answer: await answer.innerText() };
}

/** What the example request begins with, in three languages. */
const SAMPLES = ['curl -H', 'await fetch("http', 'urllib.request.Request("http'];

const shown: BenchRow = {
  id: 'docs-1',
  name: 'the API page shows every operation of the contract that the gateway serves, its routes, every error, the limits and samples of code',
  isShort: true,
  async run(bench) {
    const docs = await openDocs(bench);
    const { page, seen, gateway } = docs;
    const served = (await (await fetch(`${gateway.url}/v1/openapi.json`)).json()) as {
      paths: object;
      components: {
        schemas: { Error: { properties: { error: { properties: { code: { enum: string[] } } } } } };
      };
    };
    const paths = await page.locator('.request code').allTextContents();
    // What is closed is not seen, but it is there.
    const text = (await page.locator('body').textContent()) ?? '';
    const codes = served.components.schemas.Error.properties.error.properties.code.enum;
    const missing = [
      ...Object.keys(served.paths).filter((path) => !paths.includes(path)),
      ...[...codes, 'RateLimit-Policy', 'Retry-After', ...SAMPLES, '/legacy/orders'].filter(
        (word) => !text.includes(word),
      ),
    ];
    await keepScreenshot(page, 'docs');
    const faults = seen.foreign.length + seen.violations.length + seen.errors.length;
    return promised(missing.length === 0 && faults === 0 && paths.length > 0, {
      operations: paths.length,
      codes: codes.length,
      missing: missing.join(' ') || 'none',
      'foreign requests': seen.foreign.length,
      'CSP violations': seen.violations.length,
      errors: seen.errors.join('; ') || 'none',
    });
  },
};

const tried: BenchRow = {
  id: 'docs-2',
  name: "a reader's own key opens the API from its page, and stays in the memory of that page alone",
  isShort: true,
  async run(bench) {
    const docs = await openDocs(bench);
    const { page, seen, context, gateway } = docs;
    const { status, answer } = await tryOut(docs);
    await keepScreenshot(page, 'docs-try-it');
    const stored = await keptBy(page);
    const cookies = await context.cookies();
    await page.reload();
    await page.locator('form.try').first().waitFor();
    const after = await page.content();
    const kept = [stored, JSON.stringify(cookies), after, page.url()].filter((text) =>
      text.includes(gateway.configuredKey),
    );
    const faults = seen.foreign.length + seen.violations.length + seen.errors.length;
    return promised(
      status.startsWith('200') &&
        ['"total"', '"limit": 2', 'X-Request-Id: req_'].every((part) => answer.includes(part)) &&
        stored === '[[],[],""]' &&
        cookies.length === 0 &&
        kept.length === 0 &&
        faults === 0,
      {
        answer: status.slice(0, 3),
        stored,
        cookies: cookies.length,
        'kept after a reload': kept.length,
        'foreign requests': seen.foreign.length,
        'CSP violations': seen.violations.length,
      },
    );
  },
};

const everyLook = (['light', 'dark'] as const).flatMap((colorScheme) =>
  [360, 390, 1024, 1440].map((width) => ({ colorScheme, width })),
);

/** Opens everything on the page that is closed, so that it can be looked at. */
const OPEN_ALL = `for (const part of document.querySelectorAll('details')) { part.removeAttribute('name'); part.open = true; }`;

const seenByAll: BenchRow = {
  id: 'docs-3',
  name: 'the API page has no barrier that axe finds, light or dark, and no horizontal scrolling from 360 to 1440 px',
  async run(bench) {
    const found: string[] = [];
    let wider = 0;
    for (const { colorScheme, width } of everyLook) {
      const docs = await openDocs(bench, { colorScheme, viewport: { width, height: 900 } });
      const { page } = docs;
      await tryOut(docs);
      await keepScreenshot(page, `docs-${colorScheme}-${width}`);
      await page.evaluate(OPEN_ALL);
      for (const barrier of await findBarriers(page)) found.push(`${colorScheme} ${width}: ${barrier}`);
      wider = Math.max(wider, await overflow(page));
    }
    return promised(found.length === 0 && wider === 0, {
      looks: everyLook.length,
      barriers: found.length,
      'px too wide': wider,
      found: found.join(' || ').slice(0, 3_000) || 'none',
    });
  },
};

const below: BenchRow = {
  id: 'docs-4',
  name: 'the API page works below a path of a proxy, and with a slash at the end of its address',
  async run(bench) {
    const { gateway, page: first } = await openDocs(bench, {}, '/docs/');
    const operations = await first.locator('.operation').count();
    const proxy = bench.own(await startBelowAPath(gateway.url));
    const tab = bench.own(await openTab({ origins: [proxy.origin] }));
    await tab.page.goto(`${proxy.origin}/gate/docs`);
    await tab.page.locator('form.try').first().waitFor();
    const { status } = await tryOut({ ...tab, gateway });
    const sample = await tab.page.locator('.sample').first().innerText();
    const isBelow = sample.includes(`"${proxy.origin}/gate/v1/users?limit=3"`);
    const isWhole = operations === 3 && status.startsWith('200') && isBelow;
    return promised(isWhole && tab.seen.foreign.length === 0, {
      operations,
      answer: status.slice(0, 3),
      'address of the sample': isBelow ? 'below the path' : sample,
      'foreign requests': tab.seen.foreign.length,
    });
  },
};

const picture: BenchRow = {
  id: 'docs-5',
  name: 'the picture of the API page in the documents is smaller than 150 KB',
  async run(bench) {
    const docs = await openDocs(bench);
    await tryOut(docs);
    await docs.page.evaluate("document.querySelector('#reference').scrollIntoView()");
    await keepForReadme(docs.page, 'docs');
    const { length } = readFileSync(`${README_FOLDER}/docs.png`);
    return promised(length < 150_000, { bytes: length });
  },
};

const byKeyboard: BenchRow = {
  id: 'docs-6',
  name: 'the API page works by the keyboard: its contents lead to an operation, whose form sends what the copied code sends',
  async run(bench) {
    const docs = await openDocs(bench, { permissions: ['clipboard-read', 'clipboard-write'] });
    const { page, gateway, seen } = docs;
    await page.getByRole('navigation').getByRole('link', { name: '/v1/users/{id}' }).press('Enter');
    const anchor = new URL(page.url()).hash;
    const part = page.locator(anchor);
    await page.keyboard.press('Tab');
    const isInside = await page.evaluate<boolean>(
      `document.querySelector('${anchor}').contains(document.activeElement)`,
    );
    await page.getByLabel('Your key or token').fill(gateway.configuredKey);
    await part.getByLabel('id').fill('user_none?/');
    await part.getByLabel('id').press('Enter');
    await part.getByText('404 Not Found').waitFor();
    const answer = await part.locator('form pre').innerText();
    await part.getByRole('button', { name: 'Copy' }).press('Enter');
    await part.getByRole('button', { name: 'Copied' }).waitFor();
    const copied = await page.evaluate<string>('navigator.clipboard.readText()');
    const wanted = `curl -H "Authorization: Bearer $KEY" \\\n  "${gateway.url}/v1/users/user_none%3F%2F"`;
    const isWhole = isInside && answer.includes('"not_found"') && copied === wanted;
    return promised(isWhole && seen.errors.length + seen.violations.length === 0, {
      'focus after the contents': isInside ? `in ${anchor}` : 'elsewhere',
      copied,
      errors: seen.errors.length + seen.violations.length,
    });
  },
};

const withoutScript: BenchRow = {
  id: 'docs-7',
  name: 'without JavaScript, the API page has all but its forms, and says so',
  async run(bench) {
    const gateway = await bench.gateway({ env: { REDIS_URL: '' }, keys: 0 });
    const tab = bench.own(await openTab({ origins: [gateway.url], javaScriptEnabled: false }));
    await tab.page.goto(`${gateway.url}/docs`);
    for (const closed of await tab.page.locator('details:not([name]) > summary').all()) await closed.click();
    const text = await tab.page.locator('main').innerText();
    const missing = [
      ...['List users', '/v1/users/{id}', 'created_at', 'upstream_timeout', 'curl -H'],
      ...['"total": 120', '/legacy/orders', 'Requests can be tried out on this page with JavaScript.'],
    ].filter((word) => !text.includes(word));
    const forms = await tab.page.locator('.try').filter({ visible: true }).count();
    return promised(missing.length === 0 && forms === 0, { missing: missing.join(' ') || 'none', forms });
  },
};

/** What is promised of the API page. */
export const docsRows: readonly BenchRow[] = [
  ...[shown, tried, seenByAll, below, picture],
  ...[byKeyboard, withoutScript],
];
