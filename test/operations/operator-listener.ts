import { actionList } from '../../src/admin/api/action-table.ts';
import { askRaw, request } from '../support/client/raw-client.ts';
import { type Operator, sharedOperator, startOperator, tokenTexts } from './harness/operator-client.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';

const READ = ['/metrics', '/api/overview', '/api/config', '/api/audit'];
const WRONG_TOKENS = 60;

/** What a page of the console sends with every request. */
function pageHeaders({ gateway }: Operator) {
  const page = { origin: gateway.adminUrl, 'sec-fetch-site': 'same-origin', 'x-portico-console': '1' };
  return { ...page, 'content-type': 'application/json' };
}

/** Signs in as a tab of the console does; `cookie` is what its browser has of another tab. */
async function signIn(operator: Operator, token: string, cookie = '') {
  const response = await fetch(`${operator.gateway.adminUrl}/api/session`, {
    method: 'POST',
    headers: { ...pageHeaders(operator), cookie },
    body: JSON.stringify({ token }),
  });
  const { secret = '' } = (await response.json()) as { secret?: string };
  const [set = ''] = response.headers.getSetCookie();
  return { status: response.status, cookie: set.split(';')[0] ?? '', secret };
}

const rightToken: BenchRow = {
  id: 'operator-listener-1',
  name: 'a right token passes, however many wrong ones its address has tried, at /metrics, at sign-in and for a change; wrong ones are limited',
  fast: true,
  async run(bench) {
    const operator = await startOperator(bench);
    const { ask, through } = operator;
    const wrong: number[] = [];
    const right: number[] = [];
    for (let count = 0; count < WRONG_TOKENS; count += 1) {
      const path = READ[count % READ.length] ?? '';
      wrong.push((await ask(path, 'GET', `the-token-of-nobody-${count}`)).status);
      right.push((await ask(path, 'GET', tokenTexts[count % 2 === 0 ? 'viewer' : 'operator'])).status);
    }
    wrong.push((await signIn(operator, 'the-token-of-nobody-at-all')).status);
    right.push((await signIn(operator, tokenTexts.operator)).status);
    await through('cache', 'purge', '--tag', 'users');
    const limited = wrong.filter((status) => status === 429).length;
    const passed = right.filter((status) => status === 200).length;
    const isRefused = wrong.every((status) => status === 401 || status === 429);
    return promised(passed === right.length && isRefused && limited > WRONG_TOKENS / 4, {
      wrong: wrong.length,
      'of them 429': limited,
      right: right.length,
      passed,
    });
  },
};

/** Every request that the page can make, and what a service at another port of the host could. */
const REQUESTS = [
  ...['/api/session', '/api/events', '/api/metrics', '/api/openapi.json', '/metrics'].map((path) => {
    return { method: 'GET', path };
  }),
  ...actionList.map(([, { method, path }]) => {
    return { method: method.toUpperCase(), path: path.replace(/\{\w+\}/, 'nobody1') };
  }),
];

const stolenCookie: BenchRow = {
  id: 'operator-listener-2',
  name: 'the cookie of a console session alone reads, streams and changes nothing; with the secret of its tab it does, and programs need neither',
  fast: true,
  async run(bench) {
    const operator = await sharedOperator(bench);
    const { cookie, secret } = await signIn(operator, tokenTexts.operator);
    async function statuses(headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
      const found: number[] = [];
      for (const { method, path } of REQUESTS) {
        const ended = new AbortController();
        const all = { ...pageHeaders(operator), ...headers };
        const body = ['POST', 'PATCH'].includes(method) ? '{}' : null;
        const url = operator.gateway.adminUrl + path;
        found.push((await fetch(url, { method, headers: all, body, signal: ended.signal })).status);
        ended.abort();
      }
      return found;
    }
    const alone = await statuses({ cookie });
    const guessed = await statuses({ cookie, 'x-portico-session-secret': cookie.split('=')[1] ?? '' });
    const handedOut = JSON.stringify(
      await (await operator.ask('/api/session', 'GET', tokenTexts.operator)).json(),
    );
    const both = await statuses({ cookie, 'x-portico-session-secret': secret });
    const program = await statuses({ authorization: `Bearer ${tokenTexts.operator}`, cookie });
    const refused = (found: readonly number[]) => found.filter((status) => status === 401).length;
    const isShut = refused(alone) + refused(guessed) === 2 * REQUESTS.length;
    const isOpen = refused(both) + refused(program) === 0;
    return promised(secret.length >= 43 && !handedOut.includes('secret') && isShut && isOpen, {
      requests: REQUESTS.length,
      'admitted by the cookie': alone.length - refused(alone),
      'with both refused': refused(both),
      'of programs refused': refused(program),
    });
  },
};

const tabs: BenchRow = {
  id: 'operator-listener-3',
  name: 'each tab of a browser signs in for itself and goes on while others do, and logging out ends all of them',
  fast: true,
  async run(bench) {
    const operator = await sharedOperator(bench);
    const tokens = [tokenTexts.viewer, tokenTexts.viewer, tokenTexts.operator];
    const secrets: string[] = [];
    const cookies: string[] = [];
    for (const token of tokens) {
      const tab = await signIn(operator, token, cookies.at(-1));
      cookies.push(tab.cookie);
      secrets.push(tab.secret);
    }
    const cookie = cookies.at(-1) ?? '';
    const url = `${operator.gateway.adminUrl}/api/session`;
    const ask = (secret: string, method = 'GET', of = cookie) =>
      fetch(url, {
        method,
        headers: { ...pageHeaders(operator), cookie: of, 'x-portico-session-secret': secret },
      });
    const roles: unknown[] = [];
    for (const secret of secrets)
      roles.push(((await (await ask(secret)).json()) as { role?: string }).role ?? 'none');
    const before = (await ask(secrets[0] ?? '', 'GET', cookies[0])).status;
    await ask(secrets[1] ?? '', 'DELETE');
    const after = await Promise.all(secrets.map(async (secret) => (await ask(secret)).status));
    return promised(
      roles.join() === 'viewer,viewer,operator' && before === 401 && after.every((status) => status === 401),
      { roles: roles.join(), 'by a cookie of before': before, 'after logging out': after.join() },
    );
  },
};

const STREAMS = 110;
const TABS = 5;

const shares: BenchRow = {
  id: 'operator-listener-4',
  name: 'no token takes the streams of events of another: each gets its share, and a viewer with several tabs keeps them all',
  fast: true,
  async run(bench) {
    const { gateway } = await startOperator(bench);
    const all = new AbortController();
    bench.own({ close: () => all.abort() });
    /** A stream that is read, so that it ends where the gateway ends it. */
    async function open(token: string) {
      const headers = { authorization: `Bearer ${token}` };
      const { status, body } = await fetch(`${gateway.adminUrl}/api/events`, { headers, signal: all.signal });
      const stream = { status, isOpen: status === 200 };
      void body
        ?.pipeTo(new WritableStream())
        .catch(() => undefined)
        .then(() => (stream.isOpen = false));
      return stream;
    }
    const openOf = (streams: readonly { readonly isOpen: boolean }[]) =>
      streams.filter(({ isOpen }) => isOpen).length;
    const own = await Promise.all(Array.from({ length: TABS }, () => open(tokenTexts.operator)));
    const greedy: Awaited<ReturnType<typeof open>>[] = [];
    for (let count = 0; count < STREAMS; count += 1) greedy.push(await open(tokenTexts.viewer));
    const taken = openOf(greedy);
    const kept = openOf(own);
    const more: typeof greedy = [];
    for (let count = 0; count < STREAMS; count += 1) more.push(await open(tokenTexts.operator));
    const admitted = more.filter(({ status }) => status === 200).length;
    await bench.until(() => openOf(greedy) + openOf(own) + openOf(more) <= 100);
    const left = openOf(greedy);
    return promised(kept === TABS && taken === 100 - TABS && TABS + admitted >= 49 && left >= 49, {
      'taken by one token': taken,
      'tabs kept': kept,
      'of the other then': TABS + admitted,
      left,
    });
  },
};

/** Beside `Host: localhost`. */
const SECOND_HOSTS = ['evil.example', 'localhost', ''];

const twoHosts: BenchRow = {
  id: 'operator-listener-5',
  name: 'a request with two Host headers is 400 at either listener, and one with one of them is answered',
  fast: true,
  async run(bench) {
    const { gateway } = await sharedOperator(bench);
    const token = `Authorization: Bearer ${tokenTexts.viewer}`;
    const own = ['/livez', '/metrics', '/api/overview', '/console/'];
    const places = [
      ...own.map((path) => [gateway.adminUrl, path, token] as const),
      [gateway.url, '/v1/users?limit=1', `X-API-Key: ${gateway.configuredKey}`] as const,
    ];
    const refused: number[] = [];
    const answered: number[] = [];
    for (const [url, path, credential] of places) {
      const port = Number(new URL(url).port);
      const ask = async (...more: readonly string[]) =>
        (await askRaw(port, request('GET', path, [credential, ...more]))).status;
      answered.push(await ask());
      for (const host of SECOND_HOSTS) refused.push(await ask(`Host: ${host}`));
    }
    return promised(refused.every((status) => status === 400) && answered.every((status) => status === 200), {
      'with two': refused.join(),
      'with one': answered.join(),
    });
  },
};

/** What the operator's listener keeps from whom. */
export const operatorListenerRows: readonly BenchRow[] = [rightToken, stolenCookie, tabs, shares, twoHosts];
