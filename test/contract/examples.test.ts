import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { readSource } from '../../src/cli/input/read-config.ts';
import { type FixtureCase, readFixtures } from '../../src/workbench/recordings/read-fixtures.ts';
import { replayFixture } from '../../src/workbench/recordings/replay-fixture.ts';
import { type Json, jsonText } from '../../src/kernel/json/json.ts';

const folder = new URL('../../config/examples/', import.meta.url).pathname;
const yamlIn = (path: string) => readdirSync(path).filter((name) => name.endsWith('.yaml'));

const examples = yamlIn(folder).map((file) => {
  const compiled = readSource(join(folder, file));
  return { name: file.replace('.yaml', ''), compiled, cases: readFixtures(compiled) };
});
const cases = examples.flatMap((example) => example.cases);

const SECRET = /pass|secret|token|hash|salt|ssn|national|api_?key|answer/i;
const ELEMENT = /<(?:\w+:)?(\w+)[^<>]*>([^<>]+)</g;

/** The texts behind a key that names a secret, or below one. */
function secretsIn(value: unknown, isSecret: boolean): readonly string[] {
  if (typeof value === 'string') return isSecret && value.length > 5 ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, below]) => secretsIn(below, isSecret || SECRET.test(key)));
}

/** The secrets in the JSON and XML bodies that a case's source replies. */
function secretsOf({ fixture }: FixtureCase): readonly string[] {
  return fixture.upstream.flatMap(({ reply: { body = '' } }) => {
    if (/^[[{]/.test(body)) return secretsIn(JSON.parse(body), false);
    return [...body.matchAll(ELEMENT)].flatMap(([, name, text]) => secretsIn({ [name!]: text }, false));
  });
}

const bodyOf = ({ fixture }: FixtureCase): Json =>
  'body' in fixture.expected ? fixture.expected.body : null;

/** What the cases of a resource show: the kinds of answers that every dialect must have one of. */
function kindsOf(given: readonly FixtureCase[], resource: string): ReadonlySet<string> {
  return new Set(
    given.flatMap((one) => {
      const { request, status } = one.fixture;
      if (!request.startsWith(`GET /v1/${resource}`)) return [];
      const text = jsonText(bodyOf(one));
      const isSingle = request.includes(`/v1/${resource}/`);
      if (status === 404) return ['not found'];
      if (status !== 200) return ['failure'];
      if (isSingle) return ['single'];
      if (text.includes('"data":[]')) return ['past the end'];
      return /[?&](?:category|min_price|max_price)=/.test(request) ? ['list', 'filter'] : ['list'];
    }),
  );
}

describe.each(examples)('config/examples/$name.yaml', ({ name, compiled, cases: own }) => {
  it('is a sound source, named like its file', () => {
    expect(compiled.map(({ source }) => source.spec.name)).toEqual(compiled.map(() => name));
  });

  it.each(own)('answers $name as recorded', async ({ fixture, compiled: resources }) => {
    const { passed, ...outcome } = await replayFixture(fixture, resources);
    expect({ passed, ...outcome }).toMatchObject({
      passed: true,
      unexpected: [],
      unasked: [],
      differences: [],
    });
  });

  it('has a case for every kind of answer', () => {
    for (const { resource } of compiled) {
      const kinds =
        resource.name === 'users' ? ['list', 'single', 'not found'] : ['list', 'filter', 'past the end'];
      expect([...kindsOf(own, resource.name)]).toEqual(expect.arrayContaining(kinds));
    }
  });

  it('keeps the secrets of its records', () => {
    const secrets = own.flatMap(secretsOf);
    const bodies = own.map((one) => jsonText(bodyOf(one))).join('\n');
    expect(secrets.filter((secret) => bodies.includes(secret))).toEqual([]);
    const mayHold = ({ resource, source }: (typeof compiled)[number]) =>
      resource.name === 'users' && ['json', 'xml'].includes(source.spec.decode.format);
    if (compiled.some(mayHold)) expect(secrets).not.toEqual([]);
  });
});

it('has no recorded cases without an example', () => {
  const known = new Set(examples.map(({ name }) => name));
  expect(readdirSync(join(folder, 'fixtures')).filter((name) => !known.has(name))).toEqual([]);
  expect(cases).toHaveLength(
    [...known].reduce((count, name) => count + yamlIn(join(folder, 'fixtures', name)).length, 0),
  );
});
