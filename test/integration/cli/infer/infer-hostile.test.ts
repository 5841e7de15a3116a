import fc from 'fast-check';
import { parse } from 'yaml';
import { dialectCases } from '../../../support/dialects/cases.ts';
import { compileDraft, inferCase, runInfer } from '../../../support/dialects/infer-draft.ts';
import { serve } from '../../../support/dialects/serve.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const seed = Number(process.env['INFER_SEED'] ?? 20_261_121);

/** Names that would be more than a name, were they written as they are. */
const hostileKey = fc.oneof(
  fc.constantFrom(
    'name\n  evil: true',
    'x: y\n- z',
    '# comment',
    '*alias',
    '&anchor',
    '!!js/function',
    '${HOME}',
    '${file:/etc/passwd}',
    '{limit}',
    '{id}',
    '"quoted"',
    "it's",
    'back\\slash',
    'a | b',
    '__proto__',
    'constructor',
    'toString',
    '\u2028source: 2',
    '\u0000',
    '%TAG',
    '--- ',
    '',
    ' ',
    'x'.repeat(5_000),
  ),
  fc.string({ unit: anyCharacter, maxLength: 12 }),
  fc.constantFrom('id', 'name', 'email', 'created', 'total', 'next', 'code', 'data', 'items', 'value'),
);
const hostileValue = fc.oneof(
  hostileKey,
  fc.integer(),
  fc.double(),
  fc.boolean(),
  fc.constant(null),
  fc.constantFrom('canary-1', '2020-01-01T00:00:00Z', 'a@example.com'),
);
const row = fc.dictionary(
  hostileKey,
  fc.oneof(
    hostileValue,
    fc.array(hostileValue, { maxLength: 3 }),
    fc.dictionary(hostileKey, hostileValue, { maxKeys: 4 }),
  ),
  { maxKeys: 12 },
);
const rows = fc
  .array(row, { minLength: 1, maxLength: 5 })
  .map((list) => list.map((one, index) => ({ ...one, id: index + 1, created: index })));
const document = fc.oneof(
  rows,
  fc
    .tuple(fc.dictionary(hostileKey, hostileValue), rows, hostileKey)
    .map(([around, list, key]) => ({ ...around, [key]: list })),
);

const SECTIONS = ['source', 'name', 'net', 'auth', 'decode', 'budget', 'outcomes', 'resources'];

/** Every reference to the environment that a file has. */
const references = (text: string) =>
  [...text.matchAll(/\$\{([^}]*)/g)].map(([, name = '']) => name.split(':')[0]!);

function expectHarmless(text: string): void {
  expect(() => compileDraft(text, { DRAFT_TOKEN: 'x' })).not.toThrow();
  const content = parse(text) as Record<string, unknown>;
  expect(Object.keys(content).filter((key) => !SECTIONS.includes(key))).toEqual([]);
  expect(content['source']).toBe(1);
  expect(references(text).filter((name) => !/^DRAFT_[A-Z_]+$/.test(name))).toEqual([]);
  expect(text.split('\n').every((line) => line.length <= 200 || !line.trimStart().startsWith('#'))).toBe(
    true,
  );
}

describe('a hostile service', () => {
  it(`cannot put anything into a draft but what a draft has, nor a value of a record (150 replies, seed ${seed})`, async () => {
    await fc.assert(
      fc.asyncProperty(document, fc.constantFrom('users', 'products'), async (body, resource) => {
        const { code, out, err } = await runInfer(['--resource', resource, '--name', 'draft'], {
          '--sample': JSON.stringify(body),
        });
        expect([0, 1]).toContain(code);
        expect(err).not.toContain('canary');
        if (code !== 0) return;
        expectHarmless(out);
        expect(out).not.toContain('canary');
      }),
      { seed, numRuns: 150 },
    );
  });

  it(`that replies damaged bytes ends in a sound draft or in words (seed ${seed})`, async () => {
    const damage = fc.record({
      one: fc.constantFrom(...dialectCases),
      at: fc.double({ min: 0, max: 1, noNaN: true }),
      how: fc.constantFrom('cut', 'flip', 'repeat', 'status', 'html'),
    });
    await fc.assert(
      fc.asyncProperty(damage, async ({ one, at, how }) => {
        const honest = one.dialect();
        let calls = 0;
        const service = await serve((asked) => {
          const reply = honest(asked);
          const text =
            typeof reply.body === 'string'
              ? reply.body
              : Buffer.isBuffer(reply.body)
                ? reply.body.toString('latin1')
                : JSON.stringify(reply.body);
          calls += 1;
          if (calls % 3 === 0) return reply;
          const place = Math.floor(at * text.length);
          if (how === 'status') return { ...reply, status: [500, 429, 204, 301][calls % 4]! };
          if (how === 'html')
            return { headers: { 'Content-Type': 'text/html' }, body: '<html>canary</html>' };
          if (how === 'cut') return { ...reply, body: text.slice(0, place) };
          if (how === 'repeat') return { ...reply, body: text.slice(0, place) + text };
          return {
            ...reply,
            body: `${text.slice(0, place)}${String.fromCharCode(text.charCodeAt(place) ^ 1)}${text.slice(place + 1)}`,
          };
        });
        try {
          const { code, out } = await inferCase(one, service, '--calls-max', '60');
          expect([0, 1]).toContain(code);
          if (code === 0) expectHarmless(out);
        } finally {
          await service.close();
        }
      }),
      { seed, numRuns: Number(process.env['INFER_CASES'] ?? 40) },
    );
  });

  it('that hangs is left after the call timeout', async () => {
    const service = endAfterTest(
      await serve(() => ({ headers: { 'Content-Length': '100' }, body: '[' }), { open: true }),
    );
    const { code, err } = await runInfer([`${service.origin}/list`, '--resource', 'users', '--timeout', '1']);
    expect({ code, err }).toEqual({ code: 69, err: expect.stringContaining('did not answer in time') });
  });
});
