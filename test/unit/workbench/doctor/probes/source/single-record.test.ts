import {
  otherFields,
  recordClaims,
} from '../../../../../../src/workbench/doctor/probes/source/single-record.ts';
import { Decimal } from '../../../../../../src/kernel/decimal.ts';
import { type Answer } from '../../../../../support/upstream/scripted-upstream.ts';
import {
  items,
  type Item,
  listOf,
  probeAlone,
  type Service,
} from '../../../../../support/doctor/probe-alone.ts';

const GET = ["request: { path: '/items/{id}' }", "item: ''"];
const rows = items(7);

/** A list with single records; `single` may answer otherwise, by the id as it stands in the address. */
function withRecords(
  single: (id: string) => Answer | 'as usual' = () => 'as usual',
  all: readonly Item[] = rows,
  listed: readonly Item[] = all,
): Service {
  return (request) => {
    const [, id] = /^\/items\/(.*)$/.exec(request.path) ?? [];
    if (id === undefined) return listOf(listed)(request);
    const own = single(decodeURIComponent(id));
    if (own !== 'as usual') return own;
    const found = all.find((row) => String(row.id) === decodeURIComponent(id));
    return found === undefined ? { status: 404, body: {} } : { body: found };
  };
}

async function probe(name: string, service: Service, lines = {}, failed: readonly string[] = []) {
  const { findings } = await probeAlone(
    (ask) => recordClaims(ask).filter((claim) => claim.name === name),
    service,
    { get: GET, ...lines },
    { failed },
  );
  return findings[0];
}

describe('the probe of single records', () => {
  it('agrees if records are the same as in the list', async () => {
    expect(await probe('get', withRecords())).toMatchObject({
      verdict: 'agrees',
      observed: '7 records compared, field by field',
    });
  });

  it('differs if a field has another value than in the list, and names it', async () => {
    const other = withRecords((id) => ({ body: { id: Number(id), title: 'another' } }));
    expect(await probe('get', other)).toMatchObject({
      verdict: 'differs',
      observed: 'other values than in the list: name',
    });
  });

  it('differs if a record of the list is not found', async () => {
    expect(
      await probe(
        'get',
        withRecords(() => ({ status: 404, body: {} })),
      ),
    ).toMatchObject({
      verdict: 'differs',
      observed: 'a record of the list is not found',
    });
  });

  it('differs if a record has other values the second time', async () => {
    let turn = 0;
    const changing = withRecords((id) => {
      turn += 1;
      return { body: { id: Number(id), title: `t${id}`, bio: turn > rows.length ? 'later' : 'first' } };
    });
    expect(await probe('get', changing)).toMatchObject({
      verdict: 'differs',
      observed: 'other values the second time: profile.bio',
    });
  });

  it('cannot tell anything without a record', async () => {
    expect(await probe('get', withRecords(undefined, []))).toMatchObject({ verdict: 'could not tell' });
  });

  it('leaves out a field that is known to be unreadable', async () => {
    const other = withRecords((id) => ({ body: { id: Number(id), title: 'another' } }));
    expect(await probe('get', other, {}, ['field name'])).toMatchObject({ verdict: 'agrees' });
  });
});

describe('the probe of an id that no record has', () => {
  it('agrees if the rules know the reply', async () => {
    expect(await probe('missing id', withRecords())).toMatchObject({
      verdict: 'agrees',
      observed: 'HTTP 404 means not_found',
    });
  });

  it.each([[], ['get']])('differs if no rule knows it, and says which to write (%s)', async (...failed) => {
    const gone = withRecords((id) => (Number(id) > 7 ? { status: 410, body: {} } : 'as usual'));
    expect(await probe('missing id', gone, {}, failed)).toMatchObject({
      verdict: 'differs',
      advice: { otherwise: 'outcomes, before others: - { on: get, status: 410, is: not_found }' },
    });
  });

  it('asks for a code in the body if the status says ok', async () => {
    const polite = withRecords((id) => (Number(id) > 7 ? { body: { error: 'none' } } : 'as usual'));
    expect((await probe('missing id', polite))?.advice?.otherwise).toContain('at: …, equals: …');
  });

  it.each(['missing id', 'malformed id'])(
    'tells nothing if no record is found by its id: %s',
    async (name) => {
      const none = withRecords(() => ({ status: 410, body: {} }));
      const [verdict, observed] = ['could not tell', 'no record is found by its id'];
      expect(await probe(name, none, {}, ['get'])).toMatchObject({ verdict, observed });
    },
  );

  it('differs if a record comes for every id', async () => {
    const inventing = withRecords((id) => ({ body: { id: Number(id), title: `t${id}` } }));
    expect(await probe('missing id', inventing)).toMatchObject({
      verdict: 'differs',
      observed: 'records came that are not in the list',
    });
  });
});

describe('the probe of an id of another form', () => {
  const TEXT = { id: '{ kind: text }' };
  const named = ['ada', 'bob', 'eve'].map((id) => ({ id, title: id }));

  it('agrees if odd ids are not found', async () => {
    expect(await probe('malformed id', withRecords(undefined, named), TEXT)).toMatchObject({
      verdict: 'agrees',
      observed: '4 odd ids asked for',
    });
  });

  it('differs if the service fails at one, and proposes the form that all ids have', async () => {
    const fragile = withRecords((id) => (/['-]/.test(id) ? { status: 500, body: {} } : 'as usual'), named);
    const finding = await probe('malformed id', fragile, TEXT);
    expect(finding?.verdict).toBe('differs');
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'users', 'id', 'form'], value: '[a-z0-9]+' },
    ]);
  });

  it('differs if the service fails at a number that it cannot hold, and proposes the widest integer that works', async () => {
    const narrow = withRecords((id) =>
      BigInt(id) > 2_147_483_647n ? { status: 500, body: {} } : 'as usual',
    );
    const finding = await probe('malformed id', narrow);
    expect(finding?.verdict).toBe('differs');
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'users', 'id', 'form'], value: 'int32' },
    ]);
  });

  it('is not asked if no id at all is known as missing', async () => {
    expect(await probe('malformed id', withRecords(), {}, ['missing id'])).toMatchObject({
      verdict: 'could not tell',
      observed: 'no unknown id is answered as not found',
    });
  });
});

describe('the probe of an id in another spelling', () => {
  const TEXT = { id: '{ kind: text }' };
  const named = ['ada', 'bob'].map((id) => ({ id, title: id }));

  it('agrees if it is not found', async () => {
    expect(await probe('folded id', withRecords(undefined, named), TEXT)).toMatchObject({
      verdict: 'agrees',
    });
  });

  it('agrees if the service ignores case and blanks: the gateway serves nothing for such an id', async () => {
    const folding = withRecords((id) => {
      const found = named.find((row) => row.id === id.toLowerCase().trim());
      return found === undefined ? { status: 404, body: {} } : { body: found };
    }, named);
    expect(await probe('folded id', folding, TEXT)).toMatchObject({ verdict: 'agrees' });
  });

  it('notes an alias for which another record comes, and proposes the form that all ids have', async () => {
    const aliased = withRecords((id) => (id === 'me' ? { body: named[0] } : 'as usual'), named);
    const finding = await probe('folded id', aliased, TEXT);
    expect(finding).toMatchObject({
      verdict: 'noted',
      observed: 'with the alias me, another record comes, which is not served',
    });
    expect(finding?.advice?.tries?.[0]?.sets).toEqual([
      { at: ['resources', 'users', 'id', 'form'], value: '[a-z0-9]+' },
    ]);
  });

  it('differs if a record comes that says to have that very id', async () => {
    const inventing = withRecords((id) => ({ body: { id, title: 'x' } }), named);
    expect(await probe('folded id', inventing, TEXT)).toMatchObject({ verdict: 'differs' });
  });

  it.each(['missing id', 'get'])('is not asked if %s is wrong', async (failed) => {
    expect(await probe('folded id', withRecords(), {}, [failed])).toBeUndefined();
  });
});

describe('the probe of records that a list hides', () => {
  it('agrees if nothing comes for the gaps between the ids', async () => {
    const gappy = rows.filter(({ id }) => id !== 3 && id !== 5);
    expect(await probe('hidden records', withRecords(undefined, gappy))).toMatchObject({
      verdict: 'agrees',
      observed: '2 gaps between the ids asked for: no record',
    });
  });

  it('notes records that stand in the gaps', async () => {
    const listed = rows.filter(({ id }) => id !== 3 && id !== 5);
    expect(await probe('hidden records', withRecords(undefined, rows, listed))).toMatchObject({
      verdict: 'noted',
      observed: expect.stringMatching(/^2 of 2 gaps between the ids are records by itself/),
    });
  });

  it('differs if records stand behind the last one: the list is cut off', async () => {
    expect(await probe('hidden records', withRecords(undefined, rows, rows.slice(0, 5)))).toMatchObject({
      probe: 'all rows',
      verdict: 'differs',
      observed: expect.stringMatching(/^2 records with ids behind the last one/),
    });
  });

  it('asks nothing if ids are no numbers', async () => {
    const named = ['ada', 'bob'].map((id) => ({ id, title: id }));
    expect(
      await probe('hidden records', withRecords(undefined, named), { id: '{ kind: text }' }),
    ).toBeUndefined();
  });
});

describe('the fields in which two views of a record differ', () => {
  const price = (text: string) => Decimal.parse(text) ?? null;
  it.each<[unknown, unknown, readonly string[]]>([
    ['a', 'a', []],
    ['a', 'b', ['field']],
    [null, undefined, []],
    [price('1.50'), price('1.5'), []],
    [price('1.50'), price('1.51'), ['field']],
    ['1.5', price('1.5'), ['field']],
  ])('of %s and %s are %j', (a, b, expected) => {
    const one = { id: 'x', field: a } as Parameters<typeof otherFields>[0];
    const other = { id: 'x', field: b } as Parameters<typeof otherFields>[0];
    expect(otherFields(one, other, ['field'])).toEqual(expected);
  });
});
