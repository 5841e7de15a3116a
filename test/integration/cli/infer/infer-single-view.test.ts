// How `portico infer` finds the view of one record: by an address, by a filter of the list, or not at all.

import { inferDraft, runInfer } from '../../../support/dialects/infer-draft.ts';
import { type Dialect, serve } from '../../../support/dialects/serve.ts';
import type { UpstreamRequest } from '../../../support/upstream/scripted-upstream.ts';
import { endAfterTest } from '../../../support/jest/lifetime.ts';

const people = Array.from({ length: 64 }, (_, index) => ({
  person_id: 3 * index + 1,
  full_name: `Ada ${index}`,
  mail: `u${index}@example.com`,
  joined: `2020-05-${String((index % 28) + 1).padStart(2, '0')}T00:00:00Z`,
}));

const notFound = { status: 404, body: { detail: 'Not found.' } };

async function draftOf(dialect: Dialect, ...more: readonly string[]) {
  const { origin } = endAfterTest(await serve(dialect, { open: true }));
  return inferDraft([`${origin}/members`, '--resource', 'users', '--name', 'crm', ...more]);
}

/** A list at `/members` whose parts are named unusually, with a code; `only` chooses the rows that a request gets. */
const listOnly =
  (only: (request: UpstreamRequest) => typeof people = () => people): Dialect =>
  (request) => {
    const { path, query } = request;
    if (path !== '/members') return notFound;
    const offset = Number(query.get('offset') ?? '0');
    const limit = Math.min(Number(query.get('limit') ?? '20'), 40);
    const found = only(request);
    return {
      body: { ok: true, payload: { matches: found.length, leute: found.slice(offset, offset + limit) } },
    };
  };

const byId = ({ query }: UpstreamRequest) =>
  people.filter(({ person_id }) => (query.get('person_id') ?? String(person_id)) === String(person_id));

describe('a draft of a service without an address for one record', () => {
  it('says once what to do, and gives no advice that is of no use then', async () => {
    const { guesses } = await draftOf(listOnly());
    const edits = guesses.filter(({ confidence }) => confidence === 'edit');
    expect(edits.filter(({ path }) => /get|outcomes|users\.id$/.test(path))).toEqual([
      {
        path: 'resources.users.get',
        confidence: 'edit',
        text: 'no view of one record was found, so each request for one is an error; give it with --one <address with an id>, such as that of the list with a filter by the id; if the service has none, take `single` of users out of contract.yaml, and `get` out of this file',
      },
    ]);
  });

  it('does not take a refused credential for a record that is missing', async () => {
    const dialect: Dialect = (request) =>
      request.headers['x-key'] === 'its-secret' ? listOnly(byId)(request) : { body: { ok: false, rc: 3 } };
    const { draft } = await draftOf(dialect, '--header', 'X-Key: its-secret');
    const places = ['is: unauthorized', 'is: not_found'].map((rule) => draft.indexOf(rule));
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it('asks the list for it, if that can be filtered by the id', async () => {
    const { draft } = await draftOf(listOnly(byId));
    expect(draft).toContain("request: { path: /members, query: { person_id: '{id}' } }");
    expect(draft).toContain('item: payload.leute[0]');
    expect(draft).toContain(
      "{ status: 200, on: get, at: 'payload.leute[0]', present: false, is: not_found }",
    );
  });
});

describe('a draft of the view of one record that is named with an id', () => {
  const padded = people.map((one, index) => ({ ...one, person_id: String(index + 1).padStart(5, '0') }));
  /** The view of one record finds 100 records, of which the list has 64. */
  const viewed: Dialect = ({ path }) => {
    if (path === '/members') return { body: padded };
    const id = /^\/member\/(\d{5})$/.exec(path)?.[1];
    if (id === undefined || Number(id) > 100) return notFound;
    return { body: { ...padded[0], person_id: id, ...padded.find(({ person_id }) => person_id === id) } };
  };

  it('that no row has, finds the id by its form', async () => {
    const { draft } = await draftOf(viewed, '--one', '/member/00099');
    expect(draft).toContain("request: { path: '/member/{id}' }");
  });

  it('that is written otherwise, says how the list writes ids', async () => {
    const { draft } = await draftOf(viewed, '--one', '/member/99');
    expect(draft.replaceAll(/\s+#?\s*/g, ' ')).toContain(
      'given with --one <address with an id> finds no record by an id as the list writes it (99999)',
    );
  });
});

describe('a draft for which the column of a field of the single view is named', () => {
  /** Single records have two texts that rows lack, in an object of their own. */
  const carded: Dialect = ({ path }) => {
    if (path === '/members') return { body: people };
    const one = people.find(({ person_id }) => path === `/members/${person_id}`);
    if (one === undefined) return notFound;
    const overMij = one.person_id % 5 < 2 ? '' : `I am ${one.full_name}`;
    return { body: { ...one, klant: { overMij, woont: 'Oss' } } };
  };

  it.each([[[]], [['--one', '/members/4']]])(
    'reads it there, and its empty texts like those of other texts: %j',
    async (more) => {
      const { draft } = await draftOf(carded, '--map', 'profile.bio=klant.overMij', ...more);
      expect(draft).toMatch(/^ +profile\.bio: \{ from: klant\.overMij, as: \[\{ nullIf: \[''\] \}\] \}$/m);
    },
  );

  it('refuses one that no single record has, and names those that they have', async () => {
    const { origin } = endAfterTest(await serve(carded, { open: true }));
    const run = await runInfer([`${origin}/members`, '--resource', 'users', '--map', 'profile.bio=overMij']);
    expect(run.code).toBe(1);
    expect(run.err).toMatch(
      /no record has a value at overMij, which is named for profile\.bio\n.*hint: the records have person_id, .*klant\.overMij, klant\.woont/,
    );
  });

  it('keeps it for the operator if no view of one record is found', async () => {
    const { draft } = await draftOf(listOnly(), '--map', 'profile.bio=klant.overMij');
    expect(draft).toContain('profile.bio: klant.overMij');
  });
});

describe('a draft of ids with zeros in front, of several widths', () => {
  const wide = people.map((one, index) => ({
    ...one,
    person_id: index < 60 ? String(index + 1).padStart(4, '0') : String(10_000 + index),
  }));

  it('keeps the zeros where no record is found without them', async () => {
    const { draft } = await draftOf(({ path }) => {
      const found = wide.find(({ person_id }) => path === `/members/${person_id}`);
      if (path === '/members') return { body: wide };
      return found === undefined ? notFound : { body: found };
    });
    expect(draft).toContain('# sure: texts: a record is found only with the zeros in front');
    expect(draft).toContain('id: { kind: text }');
  });
});

describe('the total of a draft', () => {
  it('is the number of all rows, whatever it is called', async () => {
    expect((await draftOf(listOnly())).draft).toContain('total: { at: payload.matches }');
  });

  it('is not made from an address of one record that the contract would never ask for', async () => {
    const { origin } = endAfterTest(await serve(listOnly(), { open: true }));
    const run = await runInfer([
      `${origin}/members`,
      '--resource',
      'products',
      '--one',
      `${origin}/members/1`,
    ]);
    expect(run.code).toBe(1);
    expect(run.err).toContain('the contract reads no single record of products');
    expect(run.err).toContain('`single: true` in contract.yaml first');
  });
});
