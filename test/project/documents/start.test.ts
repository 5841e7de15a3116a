import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort } from '../../support/process/free-port.ts';
import { readDocument } from './document.ts';

const run = promisify(execFile);
const root = new URL('../../../', import.meta.url).pathname;
const MARK = '--- block ---';

/** A block of commands and what the document says that it prints. */
const steps = (() => {
  const { blocks } = readDocument('config/docs/start.md');
  return blocks.flatMap(({ language, text }, index) => {
    const next = blocks[index + 1];
    return language === 'sh' ? [{ script: text, shown: next?.language === 'text' ? next.text : '' }] : [];
  });
})();

let folder = '';
const printed: string[] = [];
const places = new Map<string, string>();
const placed = (text: string) =>
  [...places].reduce((done, [written, actual]) => done.replaceAll(written, actual), text);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'portico-start-'));
  places.set('~/start', folder);
  for (const port of ['7300', '8080', '9090']) places.set(port, String(await freePort()));
  const marked = steps.map(({ script }) => `${placed(script)}\necho '${MARK}'`).join('\n');
  // Whatever happens, nothing of the session outlives it.
  const session = `shopt -s expand_aliases\ntrap 'kill $(jobs -p) 2> /dev/null' EXIT\n${marked}`;
  const { stdout } = await run('bash', ['-c', `exec 2>&1\n${session}`], {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      PORT: places.get('8080'),
      ADMIN_PORT: places.get('9090'),
    },
  });
  printed.push(...stdout.replaceAll('\r', '').split(`${MARK}\n`));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** The lines that were printed, as far as the document shows them: … stands for anything. */
function matches(shown: string, actual: string): boolean {
  const parts = placed(shown.trim())
    .split('…')
    .map((part) => RegExp.escape(part));
  return new RegExp(parts.join('[^]*'), 'u').test(actual);
}

describe('the ten minutes of config/docs/start.md', () => {
  it.each(steps.map((step, index) => ({ ...step, index, first: step.script.split('\n', 1)[0] ?? '' })))(
    'block $index prints what the document shows: $first',
    ({ shown, index }) => {
      const actual = printed[index] ?? 'the session ended before this block';
      if (!matches(shown, actual)) expect(actual).toBe(placed(shown));
    },
  );

  it('gives the credential in the variable that the draft reads', () => {
    expect(readFileSync(join(folder, 'sources/start.yaml'), 'utf8')).toContain('value: ${START_API_KEY}');
  });
});
