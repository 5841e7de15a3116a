/**
 * `npm run test:upstreams`: servers that nobody here wrote, each behind a gateway that knows it from YAML alone, asked
 * random questions; every answer must have the very bytes of the contract's model over the same data. Then `portico infer`
 * drafts the same lists, and each draft is asked as it is, before and after random writes.
 *
 *   UPSTREAMS_SEED=7 npm run test:upstreams -- --only json-server
 *
 * A folder below this one is a server: `package.json` with pinned packages, a script `start` that listens on
 * 127.0.0.1:PORT with the records of the file DATA and then prints `listening`, and source files in `sources/`.
 */
import { parseArgs } from 'node:util';
import { type Asked, askSource } from './ask-source.ts';
import { type Folder, installServer, readFolders, type RunningServer, startServer } from './folder.ts';
import { generateData, type UpstreamData } from './generate-data.ts';
import { tryServerDraft } from './try-draft.ts';
import { fillData, truthOf } from './truth.ts';

const SHOWN = 3;
const SHOWN_LENGTH = 1_200;

const { values } = parseArgs({
  options: { only: { type: 'string', multiple: true }, queries: { type: 'string', default: '500' } },
});
const count = Number(values.queries);
const seed = Number(process.env['UPSTREAMS_SEED'] ?? 20_260_314);

const outcome = { passed: 0, failed: 0 };
let running: RunningServer | undefined;

const say = (text: string) => void process.stdout.write(`${text}\n`);

/** Two texts from shortly before the place where they begin to differ. */
function fromDifference(expected: string, actual: string): [string, string] {
  let at = 0;
  while (at < expected.length && expected[at] === actual[at]) at += 1;
  const start = Math.max(0, at - 200);
  const cut = (text: string) => (start > 0 ? '…' : '') + text.slice(start, start + SHOWN_LENGTH);
  return [cut(expected), cut(actual)];
}

function printResult(name: string, { queries, mismatches, plans, contradicted, seconds }: Asked): void {
  const how = Object.entries(plans).map(([plan, times]) => `${times} ${plan}`);
  const head = `${name}: ${queries} queries, ${mismatches.length} mismatches`;
  say(`${head} (${how.sort().join(', ')}) in ${seconds.toFixed(1)} s`);
  for (const { path, expected, actual, log } of mismatches.slice(0, SHOWN)) {
    const [wanted, got] = fromDifference(expected, actual);
    say(`  GET ${path}\n    expected ${wanted}\n    actual   ${got}\n    log      ${log}`);
  }
  for (const claim of contradicted) say(`  the server contradicts the source file: ${claim}`);
  outcome.passed += queries - mismatches.length;
  // Such an answer is right, but the file is not.
  outcome.failed += mismatches.length + contradicted.length;
}

/** Each answer by a draft that says that nothing is left to edit counts. */
async function testDrafts({ name, drafts, ids }: Folder, url: string, data: UpstreamData): Promise<void> {
  for (const target of drafts) {
    const what = `${name}: draft of ${target.list}`;
    try {
      const tried = await tryServerDraft(target, { url, data, ids, seed, count: Math.ceil(count / 5) });
      const { answers, edits, dialect, failures } = tried;
      const asked = answers.reduce((sum, one) => sum + one.asked, 0);
      const records = answers.map((one) => one.records).join(', then ');
      const errors = answers.flatMap((one) => [...one.errors]);
      const head = `${what} (${dialect ?? 'no dialect'}): ${asked} queries, ${records} records`;
      say(`${head}, ${edits} to edit, ${failures.length} failures, ${errors.length} kinds of errors`);
      for (const line of failures) say(`  ${line}`);
      for (const [error, path] of errors) say(`  error: ${error}: GET ${path}`);
      if (edits === 0) outcome.failed += failures.length;
      outcome.passed += asked;
    } catch (error) {
      say(`${what}: ${String(error)}`);
      outcome.failed += 1;
    }
  }
}

async function testFolder(folder: Folder, generated: UpstreamData): Promise<void> {
  const data = fillData(generated, folder.required);
  let asked = 0;
  try {
    await installServer(folder);
    running = await startServer(folder, data);
    const env = folder.env(running.url);
    for (const source of folder.sources) {
      const truth = truthOf(data, source.holds);
      printResult(`${folder.name}/${source.name}`, await askSource({ source, env, truth, seed, count }));
      asked += 1;
    }
    // What writes to the server comes last.
    await testDrafts(folder, running.url, data);
  } catch (error) {
    say(`${folder.name}: ${String(error)}`);
    if (running !== undefined) say(running.process.err.slice(-2_000));
    outcome.failed += (Math.max(1, folder.sources.length) - asked) * count;
  } finally {
    await running?.process.kill();
    running = undefined;
  }
}

const folders = readFolders().filter(({ name }) => values.only?.includes(name) ?? true);
const unknown = (values.only ?? []).filter((name) => !folders.some((folder) => folder.name === name));
if (unknown.length > 0) {
  say(`there is no server in test/upstreams/${unknown.join(', ')}`);
  process.exit(64);
}
say(`seed ${seed} (UPSTREAMS_SEED)`);
const data = generateData(seed);
for (const folder of folders) await testFolder(folder, data);
say(`${outcome.passed} passed, ${outcome.failed} failed`);
process.exitCode = outcome.failed === 0 ? 0 : 1;
