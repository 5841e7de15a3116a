import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { type BenchRow, promised } from '../../faults/harness/row.ts';
import { openAs, sessionOf } from '../harness/console-tab.ts';
import { openScene } from '../harness/scene.ts';

/** What a service at another port of the operator's host can do. */
export const otherPort: BenchRow = {
  id: 'attacks-6',
  name: 'a service at another port of the host is sent the cookie of an operator who opens it, and can do nothing with that',
  async run(bench) {
    const scene = await openScene(bench);
    const { adminUrl } = scene.gateway;
    let stolen = '';
    const page = { headers: { 'Content-Type': 'text/html' }, body: Buffer.from('<img src="/api/pixel">') };
    const thief = bench.own(
      await startUpstream(
        serving(({ headers }) => {
          stolen = headers.cookie ?? stolen;
          return page;
        }),
      ),
    );
    const operator = await openAs(bench, scene, 'operator');
    const own = await sessionOf(operator);
    await (await operator.context.newPage()).goto(thief.origin);
    await bench.until(() => stolen !== '');
    const asPage = { origin: adminUrl, 'x-portico-console': '1', 'content-type': 'application/json' };
    const body = '{"tag":"*","reason":"stolen"}';
    async function statuses(headers: Readonly<Record<string, string>>): Promise<readonly number[]> {
      const read = ['session', 'config', 'audit', 'events'].map((path) =>
        fetch(`${adminUrl}/api/${path}`, { headers, signal: AbortSignal.timeout(5_000) }),
      );
      const purge = { method: 'POST', headers: { ...asPage, ...headers }, body };
      const answers = await Promise.all([...read, fetch(`${adminUrl}/api/cache/purge`, purge)]);
      return answers.map(({ status }) => status);
    }
    const byThief = await statuses({ cookie: stolen });
    const byOperator = await statuses(own);
    return promised(
      stolen === own.cookie &&
        byThief.every((status) => status === 401) &&
        byOperator.every((status) => status === 200),
      { 'by the thief': byThief.join(), 'by the operator': byOperator.join() },
    );
  },
};
