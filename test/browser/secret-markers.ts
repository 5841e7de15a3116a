import { generateUsers, type SampleUser } from '../../src/cli/demo/data/generate-users.ts';
import { type BenchRow, promised } from '../faults/harness/row.ts';
import { faultsOf, isClean, openAs, viewsOf } from './harness/console-tab.ts';
import { missingSamples, openDifferingScene, openSamples } from './harness/differing-scene.ts';
import { TOKENS } from './harness/scene.ts';

/** Stands in every text of every record. The public API answers with it, and nothing of the operator's does. */
const MARKER = 'goldhaehnchen4711';

/** Users of whose texts each holds the secret marker. */
function markedUsers(): readonly SampleUser[] {
  const text = `the ${MARKER} of the rows`;
  const marked = { lname: text, notes: text, town: text, mail: `${MARKER}@web.example` };
  return generateUsers({ seed: 1, count: 40 }).map((user) => ({
    ...user,
    legacy: { ...user.legacy, ...marked },
  }));
}

/** What the stream of events sends within so many ticks. */
async function readTicks(adminUrl: string, ticks: number): Promise<string> {
  const ended = new AbortController();
  const response = await fetch(`${adminUrl}/api/events`, {
    headers: { authorization: `Bearer ${TOKENS.viewer}` },
    signal: ended.signal,
  });
  let text = '';
  if (response.body === null) return text;
  for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
    text += piece;
    if (text.split('event: tick').length > ticks + 1) break;
  }
  ended.abort();
  return text;
}

const nowhere: BenchRow = {
  id: 'secret-markers-1',
  name: 'a value of a record is on no page, in no JSON and in no event of the console, whatever fails, differs or is tried',
  async run(bench) {
    // Both stores have the secret marker, and differ in every record: samples of that are kept, masked.
    const scene = await openDifferingScene(bench, markedUsers(), MARKER);
    // The check by which a migration begins says so, with samples of its own.
    await scene.api('migrations/users/tasks', { body: { task: 'create' } });
    const { requests } = await scene.api<{ requests: { requestId: string }[] }>('requests');
    const answer = await fetch(`${scene.gateway.url}/v1/users/user_3`, {
      headers: { 'x-api-key': scene.gateway.configuredKey },
    });
    const isPlanted = (await answer.text()).includes(MARKER);
    const tab = await openAs(bench, scene, 'operator');
    const texts: string[] = [];
    for (const hash of Object.values(viewsOf(requests[0]?.requestId ?? 'none'))) {
      await tab.go(hash);
      texts.push(await tab.page.content());
    }
    const unseen = missingSamples(await openSamples(tab));
    texts.push(await tab.page.content(), JSON.stringify(await scene.api('migrations/users/diffs')));
    await tab.go(`#/try?q=${encodeURIComponent('/v1/users/user_3')}`);
    await tab.page.getByLabel('Ask the source (audited)').check();
    await tab.page.getByRole('button', { name: 'Explain' }).click();
    await tab.page.getByText('Calls that were made').waitFor();
    texts.push(await tab.page.content());
    const ticks = await readTicks(scene.gateway.adminUrl, 2);
    const all = [...texts, ...tab.seen.texts, ticks, JSON.stringify(await tab.context.cookies())];
    const found = all
      .filter((text) => text.includes(MARKER))
      .map((text) => text.slice(text.indexOf(MARKER) - 80, text.indexOf(MARKER) + 20));
    return promised(
      isPlanted && unseen.length === 0 && found.length === 0 && ticks.includes('event: tick') && isClean(tab),
      {
        texts: all.length,
        bytes: all.join('').length,
        'without a masked sample': unseen.join(', ') || 0,
        found: found.slice(0, 3).join(' || ') || 0,
        ...faultsOf(tab),
      },
    );
  },
};

/** What is promised of values of records. */
export const secretMarkerRows: readonly BenchRow[] = [nowhere];
