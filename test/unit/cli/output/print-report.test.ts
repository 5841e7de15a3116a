import { printBlocks, printReport } from '../../../../src/cli/output/print-report.ts';
import { quoted } from '../../../../src/cli/output/plain-output.ts';
import { progressText } from '../../../../src/cli/output/progress.ts';
import { fatalLine } from '../../../../src/cli/output/log-output.ts';

/** What is printed, on a terminal of some width or into a file. */
function printed(columns?: number, hasColours = false) {
  const written = { out: '', err: '', terminal: '' };
  const stream = {
    isTTY: true,
    columns: columns ?? 0,
    rows: 24,
    write: (text: string) => Boolean((written.terminal += text)),
  };
  const context = {
    out: (text: string) => void (written.out += text),
    err: (text: string) => void (written.err += text),
    ...(columns !== undefined && { terminals: { out: { stream, hasColours } } }),
  };
  return { written, context };
}

const LONG = `${'word '.repeat(20)}end`;

describe('a report', () => {
  it('is plain text in a file, however long its lines are', () => {
    const { written, context } = printed();
    printBlocks([LONG], context);
    expect(written.out).toBe(`${LONG}\n`);
  });

  it('is as wide as the terminal, with further lines indented', () => {
    const { written, context } = printed(60);
    printBlocks([LONG], context);
    const lines = written.terminal.trimEnd().split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(60);
    expect(lines.slice(1).every((line) => line.startsWith('  word') || line.startsWith('  end'))).toBe(true);
    expect(written.terminal.replaceAll(/\s+/g, ' ').trim()).toBe(LONG);
  });

  it('leaves a word whole that is longer than a line', () => {
    const { written, context } = printed(40);
    printBlocks([`a ${'x'.repeat(90)} b`], context);
    expect(written.terminal).toContain('x'.repeat(90));
  });

  it('breaks a list without blanks at its commas, but no query of a URL, which is copied', () => {
    const { written, context } = printed(40);
    printBlocks([`{${'"field":"value",'.repeat(5)}}`, `GET /items?fields=${'name,'.repeat(9)}`], context);
    const [first, ...more] = written.terminal.split('\n');
    expect(first).toBe('{"field":"value","field":"value",');
    expect(more.slice(-2)).toEqual([`  /items?fields=${'name,'.repeat(9)}`, '']);
  });

  it('has tables that are as wide: their last column is wrapped, or each row is a block', () => {
    const rows = (last: string) => [
      ['a', 'one', last],
      ['b', '-', 'other'],
    ];
    const { written, context } = printed(50);
    const head = ['NAME', 'KIND', 'WHAT IT IS'];
    printBlocks([{ head, table: rows('word '.repeat(8).trim()) }, ''], context);
    printBlocks([{ head, table: rows('x'.repeat(40)) }], context);
    expect(written.terminal).toBe(
      [
        'NAME  KIND  WHAT IT IS',
        'a     one   word word word word word word word',
        '            word',
        'b     -     other',
        '',
        'NAME        a',
        'KIND        one',
        'WHAT IT IS',
        `  ${'x'.repeat(40)}`,
        '',
        'NAME        b',
        'WHAT IT IS  other',
        '',
      ].join('\n'),
    );
  });

  it('shows the escape sequences of a reply, and does not send them to the terminal', () => {
    const { written, context } = printed(80);
    printBlocks(['a\u001b[31mred'], context);
    expect(written.terminal).toBe('a\\u001b[31mred\n');
  });

  it('is JSON if that is asked for, in one line if that is, too', () => {
    const report = { json: { a: 1 }, blocks: ['text'] };
    const [wide, narrow, text] = [printed(), printed(), printed()];
    printReport(report, true, wide.context);
    printReport(report, true, narrow.context, 0);
    printReport(report, undefined, text.context);
    expect([wide, narrow, text].map(({ written }) => written.out)).toEqual([
      '{\n  "a": 1\n}\n',
      '{"a":1}\n',
      'text\n',
    ]);
  });
});

describe('a text for a shell', () => {
  it.each([
    ['plain', 'plain'],
    ['http://127.0.0.1:8080/v1', 'http://127.0.0.1:8080/v1'],
    ['two words', "'two words'"],
    ["it's", String.raw`'it'\''s'`],
    ['$HOME', "'$HOME'"],
    ['a;b', "'a;b'"],
    ['', "''"],
  ])('%j is %s', (text, written) => expect(quoted(text)).toBe(written));
});

describe('the progress of a command', () => {
  it.each<[Parameters<typeof progressText>, string]>([
    [[{ title: 'infer', callsMax: 400 }, 0, 0, ''], 'infer: 0 of at most 400 calls · 0 s'],
    [
      [{ title: 'infer', callsMax: 400 }, 100, 10_000, 'GET /items  page'],
      'infer: 100 of at most 400 calls · 10 s · at most 30 s left · GET /items  page',
    ],
    [[{ title: 'doctor crm' }, 5, 61_000, ''], 'doctor crm: 5 calls · 1 min 1 s'],
    [[{ title: 'infer', callsMax: 4 }, 4, 1_000, ''], 'infer: 4 of at most 4 calls · 1 s'],
  ])('%# says calls, time, and what is left', (given, text) => expect(progressText(...given)).toBe(text));
});

describe('the log line of an uncaught error', () => {
  it('is one line of JSON at the level of a fatal error', () => {
    const line = fatalLine(new Error('broken'), 7);
    expect(line.endsWith('\n')).toBe(true);
    expect(JSON.parse(line)).toMatchObject({
      level: 60,
      pid: 7,
      msg: expect.stringContaining('uncaught error'),
    });
  });

  it.each([undefined, 'a text', { config: { headers: { authorization: 'Bearer secret-of-a-test' } } }])(
    'holds no secret, whatever was thrown: %#',
    (thrown) => expect(fatalLine(thrown, 7)).not.toContain('secret-of-a-test'),
  );
});
