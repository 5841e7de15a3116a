import { writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { fixtureTexts } from '../../support/command/fixture-texts.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { type HttpReply, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

/**
 * Names of fields that services keep, some of which stand in the source file as something else. They are so long that
 * no masked word or hash has one by chance.
 */
const UNREAD = [
  'password',
  'passwordHash',
  'Authorization',
  'accessToken',
  'baseUrl',
  'header',
  'socialSecurityNumber',
  'limit',
];

/** A tree of values that the file does not read, with a secret marker in each text. */
const hidden = fc.letrec<{ tree: unknown }>((tie) => ({
  tree: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(
      'canary-text',
      'Canary & "quoted" <text>',
      'https://canary.example/canary?canary=canary',
      'password',
    ),
    fc.array(tie('tree'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...UNREAD, 'canaryKey'), tie('tree'), { maxKeys: 3 }),
  ),
})).tree;

const records = fc.array(
  fc.record({ name: fc.constantFrom('Canary Person', 'Other Canary', 'Ünï Canary'), more: hidden }),
  { minLength: 1, maxLength: 4 },
);

type Row = { readonly name: string; readonly more: unknown };
type Written = { readonly type: string; readonly body: string };

const xmlText = (text: string) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

function xmlTree(value: unknown): string {
  if (typeof value === 'string') return xmlText(value);
  if (Array.isArray(value))
    return value.map((one) => `<socialSecurityNumber>${xmlTree(one)}</socialSecurityNumber>`).join('');
  return Object.entries(value as object)
    .map(([key, one]) => `<${key} password="canary-attribute"><![CDATA[canary]]>${xmlTree(one)}</${key}>`)
    .join('');
}

const FORMATS: Readonly<
  Record<string, { decode: string; items: string; readonly write: (rows: readonly Row[]) => Written }>
> = {
  JSON: {
    decode: '',
    items: 'rows',
    write: (rows) => ({
      type: 'application/json; profile="canary"',
      body: JSON.stringify({
        canaryKey: 'canary',
        password: 'password',
        rows: rows.map((row, n) => ({ id: n + 1, ...row })),
      }),
    }),
  },
  XML: {
    decode: 'decode: { format: xml, arrays: [R.Row] }',
    items: 'R.Row',
    write: (rows) => ({
      type: 'application/xml',
      body: `<?xml version="1.0"?><?canary password?><!-- canary --><R password="canary">${rows
        .map(
          ({ name, more }, n) =>
            `<Row socialSecurityNumber="canary"><id>${n + 1}</id><name>${name}</name><more>${xmlTree(more)}</more></Row>`,
        )
        .join('')}</R>`,
    }),
  },
  CSV: {
    decode: 'decode: { format: csv }',
    items: "''",
    write: (rows) => ({
      type: 'text/csv',
      body: [
        'id,name,password',
        ...rows.map(
          ({ name, more }, n) => `${n + 1},${name},"${JSON.stringify(more).replaceAll('"', '""')}"`,
        ),
      ].join('\n'),
    }),
  },
};

const sourceText = (decode: string, items: string) => `
source: 1
name: shop
net: { baseUrl: '\${SHOP_URL:-http://127.0.0.1:1}' }
auth: { kind: basic, user: me, password: a-password-of-the-source }
${decode}
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items, query: { fields: 'id,name,password' } }
      window: { kind: none }
      items: ${items}
      map: { id: id, name: name, description: null, price: null, category: null }
`;

let reply: HttpReply;
const config = startForEach(copyConfig);
const service = startForEach(() => startUpstream(serving(() => reply)));
beforeEach(() => config.drop('fixtures'));

/** What a recording keeps of replies: everything but the requests, which name what was asked for. */
function keptOf(texts: string): string {
  return texts.replaceAll(/target: .*/g, '');
}

describe('portico test --record', () => {
  it.each(Object.entries(FORMATS))(
    'writes no field that the file does not read, and no text of one that it does: %s',
    async (_name, { decode, items, write }) => {
      writeFileSync(config.file.replace('portico.yaml', 'sources/shop.yaml'), sourceText(decode, items));
      await fc.assert(
        fc.asyncProperty(records, async (rows) => {
          const { type, body } = write(rows);
          reply = { headers: { 'Content-Type': type, 'X-Canary': 'canary', ETag: '"canary"' }, body };
          const args = ['test', '--record', 'shop', '--overwrite', 'GET /v1/products?limit=5'];
          const { code, out } = await runCommand(['--config', config.file, ...args], {
            SHOP_URL: service.origin,
          });
          expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('recorded') });
          const kept = keptOf(fixtureTexts(config.file, 'shop'));
          const names = [...UNREAD, 'canary'].filter((name) =>
            kept.toLowerCase().includes(name.toLowerCase()),
          );
          // A fixture has keys of its own.
          expect(names.filter((name) => !['header', 'limit'].includes(name))).toEqual([]);
        }),
        { numRuns: 25 },
      );
      expect((await runCommand(['--config', config.file, 'test', 'shop'], {})).out).toContain(
        '1 passed, 0 failed',
      );
    },
  );
});
