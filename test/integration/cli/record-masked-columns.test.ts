import { writeFileSync } from 'node:fs';
import { fixtureTexts } from '../../support/command/fixture-texts.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

const rows = ['Anton Meier', 'Berta Huber', 'Dora Wagner'].map((name, index) => ({
  id: index + 1,
  name,
  text: `Text of ${name}, born 198${index}`,
  owner: 'Anton Meier',
  price: `${index + 1}4.50`,
}));
const PERSONAL = /Anton|Berta|Dora|, born/;

let replied: readonly object[];
const config = startForEach(copyConfig);
const service = startForEach(() =>
  startUpstream(serving(() => ({ body: { total: replied.length, rows: replied } }))),
);
beforeEach(() => {
  config.drop('fixtures');
  replied = rows;
});

/** Records the whole list of a source that maps its prices so. */
async function recorded(price: string) {
  const source = `
source: 1
name: shop
net: { baseUrl: '${service.origin}' }
outcomes: [{ status: 200, is: ok }]
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /items }
      window: { kind: none }
      items: rows
      map: { id: id, name: name, description: text, price: ${price}, category: null }
`;
  writeFileSync(config.file.replace('portico.yaml', 'sources/shop.yaml'), source);
  const args = ['--config', config.file, 'test', '--record', 'shop', '/v1/products?limit=3'];
  const { code } = await runCommand(args);
  const replay = await runCommand(['--config', config.file, 'test']);
  expect([code, replay.out]).toEqual([0, expect.stringContaining('1 passed, 0 failed')]);
  return fixtureTexts(config.file, 'shop');
}

describe('a recorded case', () => {
  it.each([
    ['feeds a number, too, and cannot be read as one', 'name'],
    [
      'feeds a number, too, of which a part is one',
      "{ from: text, as: [{ match: 'born ([0-9]+)' }, { number: {} }] }",
    ],
    ['feeds nothing but a number, and cannot be read as one', 'owner'],
  ])('has no text of a column that %s', async (_case, price) => {
    expect(await recorded(price)).not.toMatch(PERSONAL);
  });

  it('keeps a number in a column of its own, although a name is the same text', async () => {
    replied = rows.map((row) => ({ ...row, name: row.price }));
    const text = await recorded('price');
    expect(text).not.toMatch(PERSONAL);
    expect(text.match(/price: [123]4\.5/g)).toHaveLength(3);
  });
});
