import { setTimeout as delay } from 'node:timers/promises';
import { writeFileSync } from 'node:fs';
import { stripVTControlCharacters } from 'node:util';
import { join } from 'node:path';
import type { CliContext } from '../../../src/cli/context/context.ts';
import { progressText, withProgress } from '../../../src/cli/output/progress.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { runOnTerminal } from '../../support/command/run-on-terminal.ts';
import { runPortico } from '../../support/gateway/gateway-process.ts';
import { twoLists } from '../../support/dialects/two-lists.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { createFolder } from '../../support/process/folder.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

/** How long the service takes for a call: long enough for the line to be drawn several times. */
const CALL_MS = 250;

let file: string;
const folder = startForEach(() => createFolder('terminal'));
const service = startForEach(() =>
  startUpstream(serving(async (request) => (await delay(CALL_MS), twoLists(request)))),
);
beforeEach(() => {
  file = join(folder.path, 'shop.yaml');
  writeFileSync(
    file,
    `source: 1
name: shop
net: { baseUrl: '${service.origin}' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /api/products, query: { limit: '{limit}', offset: '{offset}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { at: total }
      items: items
      order: id
      map: { id: id, name: title, description: description, price: price, category: category }
`,
  );
});

const DOCTOR = () => ['doctor', '--source', file, '--calls-max', '4'];

describe('on a terminal', () => {
  it('shows how a long command goes on, and takes that away at the end', async () => {
    const { written } = await runOnTerminal(DOCTOR(), { hasColours: true });
    expect(written).toMatch(
      /doctor shop: 2 of at most 4 calls · \d+ s · at most \d+ s left · GET \/api\/product/,
    );
    expect(written).toContain('\u001b[31m\u001b[1mDIFFERS');
    expect(written).toContain('\u001b[32magrees');
    expect(stripVTControlCharacters(written.split('\n').at(-2) ?? '')).toMatch(/^1 difference/);
  });

  it('uses no colours where there are none, and no line is wider than it', async () => {
    const { written } = await runOnTerminal(DOCTOR(), { columns: 60 });
    // eslint-disable-next-line no-control-regex -- colours are what is looked for
    expect(written).not.toMatch(/\u001b\[\d+m/);
    const words = stripVTControlCharacters(written).split(/\r?\n/);
    expect(words.filter((line) => line.length > 60 && !/\S{30}/.test(line))).toEqual([]);
  });
});

describe('in a pipe', () => {
  it('writes plain text, the same on every run but for the time', async () => {
    const runs = [await runCommand(DOCTOR()), await runCommand(DOCTOR())];
    const [first, second] = runs.map(({ out, err }) => (out + err).replace(/in [\d.]+ s/, 'in … s'));
    expect(first).toBe(second);
    expect(first).not.toContain('\u001b');
    expect(first).not.toContain('of at most 4 calls');
  });
});

describe('the progress line', () => {
  it('is written every few seconds where there is no terminal, and not with `quiet`', async () => {
    const first = Promise.withResolvers<string>();
    const context = { err: (text: string) => first.resolve(text) } as unknown as CliContext;
    const line = await withProgress({ title: 'infer users' }, context, () => first.promise);
    expect(line).toMatch(/^infer users: 0 calls · [56] s\n$/);
    expect(await withProgress({ title: 'a', quiet: true }, context, () => Promise.resolve('done'))).toBe(
      'done',
    );
  });

  it.each([
    [{ title: 'infer users', callsMax: 400 }, 0, 1_000, '', 'infer users: 0 of at most 400 calls · 1 s'],
    [
      { title: 'a', callsMax: 10 },
      5,
      70_000,
      'GET /x',
      'a: 5 of at most 10 calls · 1 min 10 s · at most 1 min 10 s left · GET /x',
    ],
    [{ title: 'record shop' }, 7, 2_000, 'GET /x', 'record shop: 7 calls · 2 s · GET /x'],
  ])('of %j after %d calls', (work, calls, elapsedMs, doing, text) => {
    expect(progressText(work, calls, elapsedMs, doing)).toBe(text);
  });
});

describe('portico completion', () => {
  it.each([
    [
      ['doctor', ''],
      ['catalog', 'crm', 'people'],
    ],
    [
      ['infer', '--resource', ''],
      ['users', 'products'],
    ],
    [
      ['requests', '--status', '5'],
      ['5xx', '500', '502', '503', '504'],
    ],
    [['requests', '--code', 'rate'], ['rate_limit_exceeded']],
    [
      ['requests', '--source', ''],
      ['catalog', 'crm', 'people'],
    ],
    [['tes'], ['test']],
    [
      ['try', 'config/sources/'],
      ['config/sources/catalog.yaml', 'config/sources/crm.yaml', 'config/sources/people.yaml'],
    ],
  ])('offers for %j', async (words, offered) => {
    const { out } = await runPortico(['complete', '--', ...words]);
    expect(out.split('\n').flatMap((line) => line.split('\t')[0] || [])).toEqual([...offered, ':4']);
  });

  it.each(['bash', 'zsh', 'fish'])('prints a script for %s', async (shell) => {
    const { code, out } = await runPortico(['completion', shell]);
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('portico complete --') });
  });
});
