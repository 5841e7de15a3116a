import { referenceContract } from '../../../support/reference.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { lintSource } from '../../../../src/source/adapter/lint-source.ts';
import { pathText } from '../../../../src/config/yaml/problem.ts';
import { specOf } from '../../../support/pipeline/source-text.ts';

const row = 'id: id, name: name, email: null, created_at: null';
const more = 'profile.bio: null, profile.location: null, profile.avatar_url: null';
const shop = (id: string, get: string, list = '/users/_all') => `
resources:
  users:
    id: ${id}
    list: { request: { path: ${list} }, window: { kind: none }, items: rows, map: { ${row} } }
    get: { request: { path: '${get}' }, item: '', map: { ${row}, ${more} } }
`;

/** The notes about a source, as `path: message (hint)`. */
function notesOf(text: string, more: object = {}): readonly string[] {
  const notes: string[] = [];
  const spec = specOf(JSON.stringify({ ...(parse(text) as object), ...more }));
  lintSource(spec, referenceContract, (path, message, hint) =>
    notes.push(`${pathText(path)}: ${message} (${hint ?? ''})`),
  );
  return notes;
}

const shipped = ['config/sources/', 'config/examples/'].flatMap((folder) =>
  readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => [file, withoutVariables(readFileSync(folder + file, 'utf8'))]),
);

/** The text with the defaults of its variables, or an address where there is none. */
function withoutVariables(text: string): string {
  return text.replaceAll(/\$\{[^}]*?(?::-([^}]*))?\}/g, (_whole, usual?: string) => usual ?? 'http://h');
}

const rules = (...outcomes: readonly object[]) =>
  notesOf(shop('{ kind: number }', '/users/{id}', '/users'), {
    outcomes: [...outcomes, { status: 200, is: 'ok' }],
  });

describe('a rule that takes an absent record for an answer', () => {
  const absent = { on: 'get', status: 200, at: 'data.user', present: false, is: 'not_found' };
  const failed = { at: 'errors', present: true, is: 'error' };

  it('is a note where a rule for errors stands below, which can fit the same reply', () => {
    expect(rules(absent, failed)).toEqual([
      'outcomes[0]: a reply without data.user is taken for not_found although it may be an error: outcomes[1] (at errors, is: error) stands below (move outcomes[1] above this rule: the first rule that fits decides)',
    ]);
  });

  it.each<[string, object, object]>([
    ['by null', { ...absent, present: undefined, equals: null }, failed],
    ['of any status, above a rule for 5xx', { ...absent, status: undefined }, { status: '5xx', is: 'error' }],
    ['as the end of a list', { ...absent, on: 'list', is: 'past_end' }, { ...failed, is: 'unauthorized' }],
  ])('is one, too, %s', (_how, first, second) => expect(rules(first, second)).toHaveLength(1));

  it.each<[string, object, object]>([
    ['below the rule for errors', failed, absent],
    ['for replies of another status', absent, { status: '5xx', is: 'error' }],
    ['for another kind of request', absent, { ...failed, on: 'list' }],
    ['where the error stands in what is absent', absent, { at: 'data.user.error', equals: 1, is: 'error' }],
    ['by a value that is there', { ...absent, present: undefined, equals: 44 }, failed],
  ])('is none %s', (_where, first, second) => expect(rules(first, second)).toEqual([]));
});

describe('a field of the contract that a map does not name', () => {
  const text = shop('{ kind: number }', '/users/{id}', '/users');

  it('is a note at the map of each view, which tells how to name it', () => {
    expect(notesOf(text.replaceAll('email: null, ', '').replace('profile.bio: null, ', ''))).toEqual([
      'resources.users.list.map: every record has null for what the contract has and this map has not: email (email: path.in.the.record; or email: null, if the source has no such value)',
      'resources.users.get.map: every record has null for what the contract has and this map has not: email, profile.bio (email: path.in.the.record; or email: null, if the source has no such value)',
    ]);
  });

  it('is none where it says null', () => expect(notesOf(text)).toEqual([]));

  it('is told once where rows are completed by the single record', () => {
    const hydrated = text.replace(row, 'id: id').replace('items: rows', 'items: rows, hydrate: get');
    expect(notesOf(hydrated)).toEqual([]);
    expect(notesOf(hydrated.replace('email: null, ', ''))).toEqual([
      expect.stringContaining('resources.users.get.map: every record has null'),
    ]);
  });
});

describe('a call that may take longer than a scan', () => {
  const times = (timeout: string, time: string) =>
    notesOf(shop('{ kind: number }', '/users/{id}', '/users'), {
      net: { baseUrl: 'http://h', timeout },
      budget: { time },
    });

  it('is a note with the line to write', () => {
    expect(times('20s', '8s')).toEqual([
      'net.timeout: a call may take 20000 ms, but a scan only 8000 ms (budget.time): a source that hangs ends the scan before its call is over (timeout: 7s under net, or a longer budget.time)',
    ]);
    expect(times('400ms', '400ms')).toEqual([expect.stringContaining('timeout: 300ms')]);
  });

  it('is none where the call ends first', () => expect(times('5s', '8s')).toEqual([]));
});

describe('a path of a single record that another path of the source fits', () => {
  it('is a note with the ids that never pass, and the form that says so', () => {
    const [note] = notesOf(shop('{ kind: text }', '/users/{id}'));
    expect(note).toBe(
      'resources.users.get.request.path: with the id "_all" this is the path of resources.users.list.request.path; it is never asked for such an id (id: { kind: text, form: \'(?!(?:_all)$).+\' } under resources.users, or the form that all ids have)',
    );
    const form = /form: '(.+)'/.exec(note!)![1]!;
    expect(notesOf(shop(`{ kind: text, form: '${form}' }`, '/users/{id}'))).toEqual([]);
  });

  it.each([
    ['{ kind: number }', '/users/{id}', '/users/_all'],
    ["{ kind: text, form: '[a-z]+' }", '/users/{id}', '/users/_all'],
    ['{ kind: text }', '/users/{id}', '/users'],
    ['{ kind: text }', '/users/{id}', '/users/all/active'],
    ['{ kind: text }', '/user/{id}', '/users/_all'],
  ])('is none for ids of %s at %s beside %s', (id, get, list) =>
    expect(notesOf(shop(id, get, list))).toEqual([]),
  );
});

describe('the shipped sources and examples', () => {
  it.each(shipped)('%s has no note but of a bet that it accepts', (_file, text) => {
    const open = notesOf(text).filter((note) => !note.includes('(accepted by orderIs: observed)'));
    expect(open).toEqual([]);
  });
});

describe('a rule that another one hides', () => {
  const failed = { status: 200, at: 'error', present: true, is: 'error' };

  it.each<[string, object, object]>([
    ['for the same status', { status: 200, is: 'ok' }, failed],
    ['for a class of statuses', { status: '2xx', is: 'ok' }, failed],
    ['for any status', { is: 'past_end', on: 'list' }, { ...failed, on: 'list' }],
    [
      'for whatever stands there',
      { at: 'error', present: true, is: 'not_found' },
      { ...failed, present: undefined, equals: 7 },
    ],
    [
      'for more values',
      { at: 'error', equals: [6, 7], is: 'past_end' },
      { ...failed, present: undefined, equals: 7 },
    ],
  ])('can never apply %s', (_how, first, second) =>
    expect(rules(first, second)[0]).toContain('outcomes[1]: this rule can never apply'),
  );

  it('may be an error beside rows', () => {
    expect(rules({ status: 200, at: 'rows', present: true, is: 'ok' }, failed)).toEqual([
      expect.stringContaining('a reply with rows is taken for ok although it may be an error'),
    ]);
  });

  it.each<[string, object, object]>([
    ['of another status', { status: 201, is: 'ok' }, failed],
    ['of another kind of request', { on: 'get', is: 'ok' }, failed],
    [
      'with another value',
      { at: 'error', equals: 6, is: 'past_end' },
      { ...failed, present: undefined, equals: 7 },
    ],
    ['that is wider', { status: 401, is: 'unauthorized' }, { status: '4xx', is: 'client_bug' }],
    ['that says the same', { status: '4xx', is: 'client_bug' }, { status: 422, is: 'client_bug' }],
    ['by a code of success', { status: 200, at: 'code', equals: 0, is: 'ok' }, failed],
  ])('is no note %s', (_how, first, second) => expect(rules(first, second)).toEqual([]));
});

describe('a step that alters a label that a filter asks for', () => {
  const products = (category: string, filters = '') => `
resources:
  products:
    id: { kind: number }
    list:
      request: { path: /products }
      window: { kind: none }
      items: rows
      ${filters}
      map: { id: id, name: { from: name, as: [trim, unescape] }, description: null, price: price, category: ${category} }
`;
  const filter = 'filters: { category: { eq: { query: { c: "{value}" }, exactness: exact } } }';

  it.each([
    ['{ from: cat, as: [trim] }', '', ['trim']],
    ['{ from: cat, as: [{ nullIf: ["--"] }] }', '', ['nullIf']],
    ['{ from: cat, as: [trim, unescape, { nullIf: ["", "N/A"] }] }', filter, ['trim', 'unescape', 'nullIf']],
    ['{ from: cat, as: [unescape] }', '', []],
    ['{ from: cat, as: [{ nullIf: [""] }] }', '', []],
    ['{ from: cat, as: [{ nullIf: [false] }, text] }', '', []],
    ['{ from: cat, as: [trim, { enum: { a: A } }] }', '', []],
    ['cat', filter, []],
  ])('%s %s', (category, filters, steps) => {
    const notes = notesOf(products(category, filters)).filter((note) => note.includes('may change'));
    const said = `resources.products.list.map.category.as: a filter asks for category, but ${steps.join(' and ')} may`;
    expect(notes.map((note) => note.slice(0, said.length))).toEqual(steps.length === 0 ? [] : [said]);
    expect(notes.every((note) => note.includes('(category: cat, unless'))).toBe(true);
  });
});
