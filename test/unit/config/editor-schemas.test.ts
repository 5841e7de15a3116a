import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';

const read = (path: string) => readFileSync(`config/${path}`, 'utf8');
const schemaOf = (name: string) => JSON.parse(read(`${name}.schema.json`)) as object;
/** What an editor does; a reference that leads nowhere throws. */
const validatorOf = (name: string) => new Ajv2020({ strict: false, logger: false }).compile(schemaOf(name));

const sourceFiles = ['sources', 'examples'].flatMap((folder) =>
  readdirSync(`config/${folder}`)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => `${folder}/${file}`),
);

describe('the schemas for editors', () => {
  const ofSources = validatorOf('source');

  it.each(sourceFiles)('accept %s', (file) => {
    expect([ofSources(parse(read(file))), ofSources.errors]).toEqual([true, null]);
  });

  it.each([
    ['portico', ['portico.yaml', 'demo.yaml', 'compose.yaml']],
    ['contract', ['contract.yaml']],
  ])('accept the files of %s.schema.json', (name, files) => {
    const accepts = validatorOf(name);
    expect(files.filter((file) => !accepts(parse(read(file))))).toEqual([]);
  });

  const request = { path: '/list' };
  /** A source file with these keys beside or in place of those of a sound list. */
  const withList = (more: object) => ({
    ...(parse(read('sources/crm.yaml')) as object),
    resources: {
      users: {
        id: { kind: 'number' },
        list: { request, window: { kind: 'none' }, items: '', map: { id: 'no' }, ...more },
      },
    },
  });
  const tags = (each: object) => withList({ map: { id: 'no', tags: { from: 'tags', each } } });

  it.each([
    ['a list', withList({})],
    ['the steps of a field', withList({ map: { id: { from: 'no', as: ['trim', { nullIf: [''] }] } } })],
    ['the steps of elements', tags({ as: ['trim'] })],
    ['the fields of elements', tags({ map: { sku: { from: 'no', as: ['text'] } } })],
    ['more calls', withList({ hydrate: { request, map: { name: { from: 'name', as: ['trim'] } } } })],
  ])('accept %s', (_what, file) => {
    expect([ofSources(file), ofSources.errors]).toEqual([true, null]);
  });

  it.each([
    ['a step of a field', withList({ map: { id: { from: 'no', as: ['trimm'] } } })],
    ['a step of elements', tags({ as: ['trimm'] })],
    ['a step of a field of elements', tags({ map: { sku: { from: 'no', as: [{ nullif: [''] }] } } })],
    ['elements of elements', tags({ map: { sku: { from: 'no', each: { as: [] } } } })],
    ['a step of more calls', withList({ hydrate: { request, map: { name: { from: 'n', as: ['trimm'] } } } })],
    ['a request', withList({ request: { path: 'no slash' } })],
    ['a request of more calls', withList({ hydrate: { request: {}, map: {} } })],
    ['a key of a list', withList({ maps: {} })],
  ])('show a mistake in %s', (_what, file) => expect(ofSources(file)).toBe(false));

  it.each([
    ['${PORT}', true],
    ['${PORT:-8080}', true],
    [8080, true],
    ['PORT', false],
    [80.5, false],
  ])('take a reference for a value of a certain form: %s', (port, accepted) => {
    expect(validatorOf('portico')({ portico: 1, listen: { port }, resources: {} })).toBe(accepted);
  });

  it.each([
    ['${LOG_LEVEL:-info}', true],
    ['info', true],
    ['loud', false],
  ])('take a reference for a word: %s', (level, accepted) => {
    expect(validatorOf('portico')({ portico: 1, log: { level }, resources: {} })).toBe(accepted);
  });

  it('say what a step does', () => {
    expect(read('source.schema.json')).toContain('"description": "Decodes &amp; and other entities."');
  });

  /** The lines of every part of a schema that stands there more than once. */
  function repeatedLines(schema: object): readonly number[] {
    const times = new Map<string, number>();
    JSON.stringify(schema, (_key, value: unknown) => {
      const text = JSON.stringify(value, null, 2);
      times.set(text, (times.get(text) ?? 0) + 1);
      return value;
    });
    return [...times].filter(([, count]) => count > 1).map(([text]) => text.split('\n').length);
  }

  it.each(['source', 'portico', 'contract'])('repeat no large part: %s.schema.json', (name) => {
    expect(Math.max(...repeatedLines(schemaOf(name)))).toBeLessThan(150);
  });
});
