import { fieldClaims } from '../../../../../../src/workbench/doctor/probes/source/fields.ts';
import { recordClaims } from '../../../../../../src/workbench/doctor/probes/source/single-record.ts';
import { items, type Item, listOf, probeAlone } from '../../../../../support/doctor/probe-alone.ts';
import type { Answer, UpstreamRequest } from '../../../../../support/upstream/scripted-upstream.ts';

const MAP =
  '{ id: id, name: title, description: null, price: { from: price, as: [{ number: {} }] }, category: kind }';

/** What is found of the fields of some rows, by the name of the probe. */
async function found(rows: readonly (Item & { readonly price?: unknown })[], map = MAP) {
  const { findings, sent } = await probeAlone(() => fieldClaims, listOf(rows), { map });
  expect(sent).toEqual([]);
  return Object.fromEntries(findings.map((finding) => [finding.probe, finding]));
}

const priced = (count: number, priceOf: (index: number) => unknown) =>
  items(count).map((item, index) => ({ ...item, price: priceOf(index) }));

describe('the probe of what the mapping makes of rows', () => {
  it('agrees with a field that every row has, and asks the service nothing', async () => {
    expect(await found(priced(6, () => '1.50'))).toMatchObject({
      'field price': { verdict: 'agrees', observed: 'it is there in 6 of 6 rows' },
      'field name': { verdict: 'agrees' },
    });
  });

  it('says nothing about a field that the file sets to null', async () => {
    expect((await found(priced(6, () => '1.50')))['field description']).toBeUndefined();
  });

  it('differs if there is nothing at the path in twenty rows', async () => {
    expect((await found(items(20)))['field price']).toMatchObject({
      verdict: 'differs',
      observed: 'there is nothing at its path in 20 of 20 rows',
    });
  });

  it('cannot tell that from nineteen rows: an optional field may be missing by chance', async () => {
    expect((await found(items(19)))['field price']).toMatchObject({ verdict: 'could not tell' });
  });

  it('differs if more than a tenth of the values cannot be read', async () => {
    expect((await found(priced(10, (index) => (index < 2 ? 'dear' : '1.50'))))['field price']).toMatchObject({
      verdict: 'differs',
      observed: 'it cannot be read in 2 of 10 rows',
    });
  });

  it('notes a tenth of unreadable values, because those are the data', async () => {
    expect((await found(priced(10, (index) => (index < 1 ? 'dear' : '1.50'))))['field price']).toMatchObject({
      verdict: 'noted',
      observed: 'unknown in 1 of 10 rows: 1 unreadable (doctor --values shows the value)',
    });
  });

  it('notes the rows without a value, and tells empty ones apart', async () => {
    const rows = priced(10, () => '1').map((row, index) => (index < 3 ? { ...row, kind: null } : row));
    expect((await found(rows))['field category']).toMatchObject({
      verdict: 'noted',
      observed: expect.stringMatching(/^unknown in 3 of 10 rows: 3 /),
    });
  });

  it('notes empty texts and what to write if they mean nothing, because some services mean them', async () => {
    const rows = priced(4, () => '1').map((row, index) => (index < 3 ? { ...row, kind: '' } : row));
    expect((await found(rows))['field category']).toMatchObject({
      verdict: 'noted',
      observed: 'an empty text, not null, in 3 of 4 rows',
      advice: {
        otherwise:
          "if an empty text means nothing: map: { category: { from: kind, as: [{ nullIf: [''] }] } }",
      },
    });
  });

  it('never shows a value, unless values may be shown', async () => {
    const findings = await found(priced(10, () => 'a-secret-price'));
    expect(JSON.stringify(findings)).not.toContain('a-secret-price');
  });
});

describe('the probe of what the mapping makes of single records', () => {
  /** What is found of a field that only single records have; each of the people has another `bio` there. */
  async function inSingle(count: number, bioOf: (id: number) => unknown) {
    const service = ({ path, ...request }: UpstreamRequest): Answer => {
      const id = Number(/^\/items\/(\d+)$/.exec(path)?.[1]);
      if (Number.isNaN(id)) return listOf(items(count))({ ...request, path });
      return id > count ? { status: 404, body: {} } : { body: { id, title: `t${id}`, bio: bioOf(id) } };
    };
    const get = ["request: { path: '/items/{id}' }", "item: ''"];
    const { findings } = await probeAlone((ask) => recordClaims(ask).slice(0, 1), service, { get });
    expect(findings.map(({ probe }) => probe)).toEqual(['get', 'field profile.bio']);
    return findings[1];
  }

  it('agrees with a field that every record has', async () => {
    expect(await inSingle(7, (id) => `bio ${id}`)).toMatchObject({
      at: ['resources', 'users', 'get', 'map', 'profile.bio'],
      verdict: 'agrees',
      observed: 'it is there in 7 of 7 records',
    });
  });

  it('cannot tell whether a path is wrong that finds nothing in a few records', async () => {
    expect(await inSingle(7, () => undefined)).toMatchObject({
      verdict: 'could not tell',
      observed: 'there is nothing at its path in 7 of 7 records',
    });
  });

  it('differs if more than a tenth of the values cannot be read, and never shows one', async () => {
    const finding = await inSingle(7, (id) => (id < 3 ? ['a secret'] : 'text'));
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: 'it cannot be read in 2 of 7 records',
    });
    expect(JSON.stringify(finding)).not.toContain('secret');
  });

  it('notes the records without a value and those with an empty text, with what to write', async () => {
    expect(await inSingle(7, (id) => (id < 3 ? '' : id < 4 ? null : 'text'))).toMatchObject({
      verdict: 'noted',
      observed: 'unknown in 1 of 7 records: 1 empty; an empty text, not null, in 2 of 7 records',
      advice: { otherwise: expect.stringContaining("profile.bio: { from: bio, as: [{ nullIf: [''] }] }") },
    });
  });
});

describe('the probe of rows that are no records', () => {
  const header = { id: 'design', views: {} } as Item;

  it('differs if a row has none of the mapped fields, and proposes to drop such rows', async () => {
    const rows = [...priced(4, () => '1'), header];
    const text = '{ id: id, name: title, description: null, price: null, category: kind }';
    const { findings } = await probeAlone(() => fieldClaims, listOf(rows), {
      map: text,
      id: '{ kind: text }',
    });
    const finding = findings.find(({ probe }) => probe === 'records');
    expect(finding).toMatchObject({
      verdict: 'differs',
      observed: '1 row of 5 has none of the mapped fields',
    });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'products', 'list', 'dropWhen'], value: [{ at: 'title', present: false }] },
    ]);
  });

  it('says nothing if each row has at least one field', async () => {
    expect((await found(priced(4, () => '1')))['records']).toBeUndefined();
  });
});
