import { problemText } from '../../../src/config/yaml/problem.ts';
import { changed, gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

const crm = sourceTexts['crm.yaml']!;
const catalog = sourceTexts['catalog.yaml']!;

/** The problems of a file after one change to it, as an operator reads them. */
function problemsAfter(file: string, wanted: string, replacement: string): string[] {
  const texts = { 'portico.yaml': gatewayText, ...sourceTexts };
  texts[file as 'portico.yaml'] = changed(texts[file as 'portico.yaml'], wanted, replacement);
  const { 'portico.yaml': gateway, ...sources } = texts;
  return loadTexts({ gateway, sources }).problems.map(problemText);
}

/** `file:line:column` of a text in a file. */
function placeOf(text: string, wanted: string): string {
  const before = text.slice(0, text.indexOf(wanted)).split('\n');
  return `${before.length}:${before.at(-1)!.length + 1}`;
}

describe('a value that is mistyped', () => {
  it.each([
    ['crm.yaml', 'kind: number', 'kind: numbr', 'did you mean "number"?'],
    ['catalog.yaml', ', cents]', ', centz]', 'did you mean "cents"?'],
    ['portico.yaml', '[GET, HEAD, POST]', '[GET, HEAD, PSOT]', 'did you mean "POST"?'],
  ])('is told with the one that may be meant: %s, %s → %s', (file, wanted, replacement, hint) => {
    expect(problemsAfter(file, wanted, replacement).join('\n')).toContain(`    hint: ${hint}`);
  });

  it('is told without one where nothing is like it', () => {
    expect(problemsAfter('crm.yaml', 'kind: number', 'kind: banana').join()).not.toContain('did you mean');
  });
});

describe('a mistake in the gateway file', () => {
  it.each([
    ['portico: 1', 'portico: 2', 'portico: this Portico reads version 1 of the format: write `portico: 1`'],
    ['${PORT:-8080}', '99999', 'listen.port: must be at most 65535'],
    ['${PORT:-8080}', '80.5', 'listen.port: expected a whole number'],
    ['${PORT:-8080}', '-1', 'listen.port: must be at least 0'],
    ["'${LOG_LEVEL:-info}'", 'loud', 'log.level: Invalid option: expected one of "fatal"|'],
    ['20 per 1s', '20/s', 'limits.tiers.standard.windows[0]: expected a window such as'],
    ['20 per 1s', '20 per 30d', 'limits.tiers.standard.windows[0]: expected a window such as'],
    ['standard: {', 'Standard!: {', 'limits.tiers.Standard!: expected a name of a-z, 0-9'],
    ['notFound: 2s', 'notFound: 2', 'resources.users.cache.notFound: expected a duration of whole seconds'],
    [
      'notFound: 2s',
      'notFound: 2500ms',
      'resources.users.cache.notFound: expected a duration of whole seconds',
    ],
    ['notFound: 2s', 'notFound: 25d', 'resources.users.cache.notFound: expected a duration of whole seconds'],
    ['source: crm', 'source: CRM', 'resources.users.source: expected a name of a-z'],
    ['[GET, HEAD, POST]', '[GET, GRAB]', 'passthrough[0].methods[1]: Invalid option: expected one of "GET"|'],
    ['/legacy/orders', '/legacy/../orders', 'passthrough[0].path: expected a plain path'],
    ['orders:read', 'orders', 'passthrough[0].permission: expected a permission such as users:read'],
    [
      '${ORDERS_URL:-http://127.0.0.1:7103}',
      'ftp://x',
      'passthrough[0].upstream: expected an http:// or https://',
    ],
  ])('%s → %s is reported with its place', (wanted, replacement, expected) => {
    const [problem, ...others] = problemsAfter('portico.yaml', wanted, replacement);
    expect(others).toEqual([]);
    const line = placeOf(gatewayText, wanted).split(':')[0]!;
    expect(problem).toMatch(new RegExp(`^portico\\.yaml:${line}:\\d+: `));
    expect(problem).toContain(` ${expected}`);
  });

  it.each([
    ['listen:', 'lisen:', 'lisen: unknown key', 'did you mean "listen"?'],
    [
      'failedCredentials',
      'failedcredentials',
      'limits.failedcredentials: unknown key',
      'did you mean "failedCredentials"?',
    ],
    ['notFound: 2s', 'notFond: 2s', 'resources.users.cache.notFond: unknown key', 'did you mean "notFound"?'],
    ['    methods:', '    verbs:', 'passthrough[0].verbs: unknown key', 'known keys: name, path, '],
  ])('%s → %s is an unknown key, with what was meant', (wanted, replacement, message, hint) => {
    const place = placeOf(changed(gatewayText, wanted, replacement), replacement.trim());
    const found = problemsAfter('portico.yaml', wanted, replacement);
    expect(found).toHaveLength(1);
    expect(found[0]).toContain(`portico.yaml:${place}: ${message}\n    hint: ${hint}`);
  });

  it('names a key that is missing at the place of what should hold it', () => {
    const found = problemsAfter('portico.yaml', '    source: crm\n', '');
    expect(found).toHaveLength(1);
    expect(found[0]).toContain('resources.users: the key "source" is missing');
  });
});

describe('a mistake in a source file', () => {
  it.each([
    ['crm.yaml', 'source: 1', 'source: 2', 'source: this Portico reads version 1 of the format'],
    [
      'crm.yaml',
      'kind: basic',
      'kind: basik',
      "auth.kind: Invalid discriminator value. Expected 'none' | 'basic'",
    ],
    [
      'crm.yaml',
      "as: [trim, { nullIf: ['', none] }]",
      'as: [trimm]',
      'map.profile.avatar_url.as[0]: expected a step: trim, text, ',
    ],
    ['crm.yaml', 'timeout: 5s', 'timeout: 5', 'net.timeout: expected a duration such as 250ms'],
    ['crm.yaml', 'timeout: 5s', 'timeout: 0s', 'net.timeout: expected a duration such as 250ms'],
    ['crm.yaml', 'timeout: 5s', 'timeout: 25d', 'net.timeout: expected a duration such as 250ms'],
    ['crm.yaml', 'concurrency: 8', 'concurrency: eight', 'net.concurrency: expected a whole number'],
    [
      'crm.yaml',
      'path: /crm/v3/contacts.do',
      'path: /crm?x=1',
      'resources.users.list.request.path: expected a path that starts with /',
    ],
    [
      'crm.yaml',
      'path: /crm/v3/contacts.do',
      'path: "/crm\\x01"',
      'resources.users.list.request.path: expected a path without control characters',
    ],
    ['catalog.yaml', 'exactness: exact', 'exactness: exakt', 'filters.category.eq.exactness: Invalid option'],
    [
      'catalog.yaml',
      'sizes: [20, 50, 100]',
      'sizes: [20, 0]',
      'resources.products.list.window.sizes[1]: must be at least 1',
    ],
    [
      'catalog.yaml',
      'as: [trim]',
      'as: [{ number: { decimal: ",", group: "," } }]',
      'must be different characters',
    ],
  ])('%s: %s → %s is reported with its place', (file, wanted, replacement, expected) => {
    const found = problemsAfter(file, wanted, replacement);
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(new RegExp(`^${file}:\\d+:\\d+: `));
    expect(found[0]).toContain(expected);
  });

  it.each([
    [
      'crm.yaml',
      'kind: offset, base: 0',
      'kind: offset, bas: 0',
      'window.bas: unknown key',
      'did you mean "base"?',
    ],
    ['crm.yaml', 'user: ${', 'usr: ${', 'auth.usr: unknown key', 'did you mean "user"?'],
    ['crm.yaml', 'total: { at:', 'total: { path:', 'total.path: unknown key', 'known keys: at, header'],
    [
      'catalog.yaml',
      "[{ nullIf: [''] }]",
      "[{ nullif: [''] }]",
      'as[0].nullif: unknown key',
      'did you mean "nullIf"?',
    ],
    ['catalog.yaml', 'from: nm', 'frm: nm', 'map.name.frm: unknown key', 'did you mean "from"?'],
  ])(
    '%s: %s → %s is an unknown key, in a choice of forms too',
    (file, wanted, replacement, message, hint) => {
      const found = problemsAfter(file, wanted, replacement).join('\n');
      expect(found).toContain(`${message}\n    hint: ${hint}`);
    },
  );
});

describe('a key of another form', () => {
  it('is unknown, and the keys of the form that the value names are listed: never the key itself', () => {
    const found = problemsAfter('catalog.yaml', 'sizes: [20, 50, 100]', 'sizeMax: 100').join('\n');
    expect(found).toContain('window.sizeMax: unknown key\n    hint: known keys: kind, base, sizes, pastEnd');
    expect(found).not.toContain('did you mean');
  });
});

describe('a file that can serve nothing', () => {
  it.each([
    ['crm.yaml', '', 'source: 1'],
    ['crm.yaml', '# only a comment\n', 'source: 1'],
    ['portico.yaml', '', 'portico: 1'],
  ])('%s is reported with a line where it is empty: %j', (file, text, first) => {
    const texts = { 'portico.yaml': gatewayText, ...sourceTexts, [file]: text };
    const { 'portico.yaml': gateway, ...sources } = texts;
    expect(loadTexts({ gateway, sources }).problems.map(problemText)).toContain(
      `${file}:1:1: the file is empty\n    hint: it begins with the line "${first}"`,
    );
  });

  it('is reported where none of its outcomes is ok', () => {
    expect(problemsAfter('catalog.yaml', 'is: ok', 'is: not_found').join('\n')).toMatch(
      /^catalog\.yaml:\d+:\d+: outcomes: no reply of a list is ever used: no rule says is: ok; add - \{ status: 200, is: ok \}/,
    );
  });
});

describe('a variable that is not set', () => {
  it('is named where its default cannot be used', () => {
    const [found, ...others] = problemsAfter('portico.yaml', '${PORT:-8080}', '${PORT:-}');
    expect(others).toEqual([]);
    expect(found).toContain(
      'listen.port: expected a whole number\n    hint: the value comes from the environment variable PORT, which is not set',
    );
  });

  it('is reported once, and not also as a wrong value', () => {
    const found = problemsAfter('crm.yaml', '${USERS_URL:-http://127.0.0.1:7101}', '${USERS_URL}');
    expect(found).toEqual([
      expect.stringMatching(/^crm\.yaml:9:12: the environment variable USERS_URL is not set/),
    ]);
  });
});

describe('all mistakes of all files', () => {
  it('are reported at once, those of meaning and of adapters included', () => {
    const { problems } = loadTexts({
      gateway: changed(changed(gatewayText, 'listen:', 'lisen:'), 'portico: 1', 'portico: 3'),
      sources: {
        'a.yaml': changed(changed(crm, 'timeout: 5s', 'timeout: 5'), 'concurrency: 8', 'concurrency: x'),
        'b.yaml': changed(changed(catalog, 'id: sku', 'id: "a..b"'), "items: ''", 'items: a b'),
        'c.yaml': 'source: 1\n  broken: [',
      },
    });
    const places = problems.map(({ file, path }) => `${file} ${path}`);
    expect(places).toEqual(
      expect.arrayContaining([
        'portico.yaml lisen',
        'portico.yaml portico',
        'a.yaml net.timeout',
        'a.yaml net.concurrency',
        'b.yaml resources.products.list.map.id.from',
        'b.yaml resources.products.list.items',
      ]),
    );
    expect(places.some((place) => place.startsWith('c.yaml'))).toBe(true);
    for (const { line, column } of problems) expect([line, column].every((n) => Number(n) >= 1)).toBe(true);
  });
});
