import { countText, rateText } from '../../src/admin/console/page/show/units.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { faultsOf, isClean, openAs } from './harness/console-tab.ts';
import { openScene } from './harness/scene.ts';

type ApiOverview = {
  readonly overMs: number;
  readonly totals: { readonly requestsPerSecond: number };
  readonly sources: readonly {
    readonly name: string;
    readonly callsPerSecond: number;
    readonly breaker: string;
  }[];
};

const overview: BenchRow = {
  id: 'figures-1',
  name: 'the overview shows what /metrics counts: requests, the calls of each source, and its breaker',
  isShort: true,
  async run(bench) {
    const scene = await openScene(bench);
    const { gateway, api } = scene;
    const tab = await openAs(bench, scene, 'viewer');
    for (let round = 0; round < 3; round += 1) await scene.sendTraffic();
    const counted = await gateway.counted('portico_requests_total');
    const callsOf = (name: string) => gateway.counted('portico_upstream_calls_total', `source="${name}"`);
    let wrong: string[] = ['nothing was looked at'];
    // The page shows the tick of its stream, two seconds after a sample; what it shows then is held against the JSON.
    await bench
      .until(
        async () => {
          const now = await api<ApiOverview>('overview');
          const seconds = now.overMs / 1_000;
          const text = await tab.text();
          const calls = await Promise.all(
            now.sources.map(
              async ({ name, callsPerSecond }) =>
                [name, callsPerSecond * seconds, await callsOf(name)] as const,
            ),
          );
          wrong = [
            ...(Math.abs(now.totals.requestsPerSecond * seconds - counted) < 0.5 ? [] : ['requests']),
            ...calls
              .filter(([, shown, metric]) => Math.abs(shown - metric) >= 0.5)
              .map(([name]) => `calls of ${name}`),
            ...(text.includes(rateText(now.totals.requestsPerSecond)) ? [] : ['requests on the page']),
            ...now.sources
              .filter(({ name, callsPerSecond }) => !rowHas(text, name, rateText(callsPerSecond)))
              .map(({ name }) => `calls of ${name} on the page`),
          ];
          return wrong.length === 0;
        },
        40_000,
        250,
      )
      .catch(() => undefined);
    const open = await gateway.counted('portico_breaker_state', 'source="catalog"');
    const row = tab.page.getByRole('row', { name: /catalog/ });
    const breaker = await row.innerText();
    const isSame = open > 0 === /half-open|open/.test(breaker);
    return promised(wrong.length === 0 && isSame && isClean(tab), {
      requests: counted,
      'not equal': wrong.join('; ') || 0,
      'breaker of catalog': open,
      ...faultsOf(tab),
    });
  },
};

/** Whether a line of the view that begins with a name has a text. */
function rowHas(text: string, name: string, wanted: string): boolean {
  const lines = text.split('\n');
  const at = lines.findIndex(
    (line) => line.trim() === name || line.startsWith(`${name} `) || line.startsWith(`${name}\t`),
  );
  return (
    at !== -1 &&
    lines
      .slice(at, at + 14)
      .join(' ')
      .includes(wanted)
  );
}

type ApiSource = {
  readonly outcomes: Readonly<Record<string, { readonly total: number }>>;
  readonly rules: readonly {
    readonly rule: string;
    readonly is: string;
    readonly line?: number;
    readonly replies: { readonly total: number };
  }[];
};
type ApiCache = {
  readonly operations: readonly {
    readonly operation: string;
    readonly results: Record<string, { total: number }>;
  }[];
};

const counters: BenchRow = {
  id: 'figures-2',
  name: 'what was counted since the start is on the page as /metrics has it: outcomes of a source and the rules that decided, cache, requests of a caller',
  async run(bench) {
    const scene = await openScene(bench);
    const { gateway, api } = scene;
    for (let round = 0; round < 3; round += 1) await scene.sendTraffic();
    const tab = await openAs(bench, scene, 'viewer');
    const wrong: string[] = [];
    const hold = (what: string, shown: number, metric: number, text: string) => {
      if (shown !== metric) wrong.push(`${what}: ${shown}, not ${metric}`);
      if (!text.includes(countText(metric))) wrong.push(`${what} is not on the page`);
    };
    let compared = 0;
    await bench.until(async () => (await api<ApiCache>('cache')).operations.length > 0, 30_000, 250);
    await tab.go('#/source/catalog');
    const source = await api<ApiSource>('sources/catalog');
    const sourceText = await tab.text();
    for (const [outcome, { total }] of Object.entries(source.outcomes)) {
      hold(
        outcome,
        total,
        await gateway.counted('portico_upstream_calls_total', 'source="catalog"', `outcome="${outcome}"`),
        sourceText,
      );
      compared += 1;
    }
    const ruleRows = await tab.page
      .getByRole('table', { name: 'outcome rules' })
      .locator('tbody tr')
      .allInnerTexts();
    for (const [place, { rule, is, line, replies }] of source.rules.entries()) {
      const metric = [
        'portico_upstream_replies_total',
        'source="catalog"',
        `rule="${rule}"`,
        `is="${is}"`,
      ] as const;
      const cells = ruleRows[place]?.split('\t').map((cell) => cell.trim()) ?? [];
      hold(`${rule} ${is}`, replies.total, await gateway.counted(...metric), cells[3] ?? '');
      if (line !== undefined && cells[4]?.endsWith(`:${line}`) !== true)
        wrong.push(`the line of ${rule} is not on the page`);
      compared += 1;
    }
    await tab.go('#/cache');
    const cache = await api<ApiCache>('cache');
    const cacheText = await tab.text();
    for (const { operation, results } of cache.operations)
      for (const [result, { total }] of Object.entries(results)) {
        hold(
          `${operation} ${result}`,
          total,
          await gateway.counted('portico_requests_total', `operation="${operation}"`, `cache="${result}"`),
          cacheText,
        );
        compared += 1;
      }
    await tab.go('#/callers');
    const logged = gateway.log().filter(({ caller }) => caller === 'configured').length;
    const row = await tab.page.getByRole('row', { name: /configured/ }).innerText();
    if (!row.includes(countText(logged))) wrong.push(`requests of the caller: ${row}, not ${logged}`);
    return promised(wrong.length === 0 && compared > 4 && isClean(tab), {
      compared: compared + 1,
      'not equal': wrong.join('; ') || 0,
      ...faultsOf(tab),
    });
  },
};

const failures: BenchRow = {
  id: 'figures-3',
  name: 'every request that failed is in the list, as the log has it, and its trace adds up to the time that it took',
  async run(bench) {
    const scene = await openScene(bench);
    for (let round = 0; round < 2; round += 1) await scene.sendTraffic();
    const tab = await openAs(bench, scene, 'viewer', { hash: '#/requests?status=5xx' });
    const failed = scene.gateway
      .log()
      .filter(({ status, msg }) => msg === 'request' && Number(status) >= 500);
    await bench.until(async () => (await tab.page.locator('main tbody tr').count()) >= failed.length, 20_000);
    const links = await tab.page.evaluate<string[]>(
      `[...document.querySelectorAll('main tbody a[href^="#/request/"]')].map((one) => one.getAttribute('href'))`,
    );
    const missing = failed.filter(({ requestId }) => !links.includes(`#/request/${String(requestId)}`));
    await tab.go(links[0] ?? '');
    const trace = await tab.text();
    const { requestId = '', code = '' } = failed.find((one) =>
      links[0]?.endsWith(String(one['requestId'])),
    ) as Record<string, string>;
    const isTold = trace.includes(requestId) && trace.includes(code) && /Where its time went/.test(trace);
    return promised(
      failed.length > 0 && missing.length === 0 && links.length === failed.length && isTold && isClean(tab),
      {
        failed: failed.length,
        listed: links.length,
        missing: missing.length,
        told: String(isTold),
        ...faultsOf(tab),
      },
    );
  },
};

/** What is promised of the figures of the console. */
export const figureRows: readonly BenchRow[] = [overview, counters, failures];
