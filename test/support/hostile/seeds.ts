import { readdirSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import {
  type Fixture,
  type RecordedExchange,
  readFixture,
} from '../../../src/config/fixture/fixture-schema.ts';
import type { MappingSpec, SourceSpec } from '../../../src/config/schema/source.ts';
import { resources, type ResourceName } from '../reference.ts';
import { REPLY_MARKER } from './case.ts';

/** What is asked of the gateway, and what the source says to it before anything is changed. */
export type Seed = { readonly name: string; readonly path: string; readonly fixture: Fixture };

/** A source file with its recorded replies. */
export type Dialect = { readonly name: string; readonly text: string; readonly seeds: readonly Seed[] };

const examples = new URL('../../../config/examples/', import.meta.url).pathname;

/** Logs in before it asks; a login is no reply of a list or a record. */
const LOGS_IN = /kind: (?:oauth2|session)/;

/** The recorded replies plant secret markers of their own. */
function renamed(exchange: RecordedExchange): RecordedExchange {
  const { body, base64, headers } = exchange.reply;
  const rename = (text: string) => text.replaceAll('canary', REPLY_MARKER);
  return {
    ...exchange,
    reply: {
      ...exchange.reply,
      headers: Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, rename(value)])),
      ...(body !== undefined && { body: rename(body) }),
      ...(base64 !== undefined && {
        base64: Buffer.from(rename(Buffer.from(base64, 'base64').toString('latin1')), 'latin1').toString(
          'base64',
        ),
      }),
    },
  };
}

function seedOf(file: string, text: string): Seed {
  const fixture = readFixture({ file, text }, []);
  if (fixture === undefined) throw new Error(`${file} is no fixture`);
  const path = fixture.request.replace('GET ', '');
  return { name: basename(file), path, fixture: { ...fixture, upstream: fixture.upstream.map(renamed) } };
}

function seedsOf(name: string): readonly Seed[] {
  const folder = `${examples}fixtures/${name}/`;
  return readdirSync(folder).flatMap((file) => {
    const seed = seedOf(file, readFileSync(folder + file, 'utf8'));
    return seed.fixture.upstream.length === 0 ? [] : [seed];
  });
}

const LINES = `
source: 1
name: lines
net: { baseUrl: '\${LINES_URL}' }
decode: { format: ndjson }
outcomes: [{ status: 404, on: get, is: not_found }, { status: 200, is: ok }]
resources:
  users:
    id: { kind: number }
    list:
      request: { path: /people, query: { from: '{offset}', n: '{limit}' } }
      window: { kind: offset, sizeMax: 50 }
      total: { header: X-Total-Count }
      items: ''
      order: id
      orderIs: documented
      map: { id: no, name: who.name, email: who.mail, created_at: { from: since, as: [epochSeconds] } }
    get:
      request: { path: '/people/{id}' }
      item: '[0]'
      map: { id: no, name: who.name, email: who.mail, created_at: { from: since, as: [epochSeconds] }, profile.bio: null, profile.location: null, profile.avatar_url: null }
`;

const LINE_SEEDS = [
  `
request: GET /v1/users?limit=3
upstream:
  - request: { target: '/people?from=0&n=3' }
    reply:
      headers: { content-type: application/x-ndjson, x-total-count: '7' }
      body: |
        {"no":1,"who":{"name":"Ada","mail":"ada@example.com","pin":"canary"},"since":1588291200}
        {"no":2,"who":{"name":"Šárka","mail":null},"since":null,"token":"canary"}
        {"no":30000000000000000001,"who":{"name":"Bo"},"since":0}
expect: { status: 200, body: null }
`,
  `
request: GET /v1/users/user_1
upstream:
  - request: { target: /people/1 }
    reply:
      headers: { content-type: application/x-ndjson }
      body: '{"no":1,"who":{"name":"Ada","mail":"ada@example.com","pin":"canary"},"since":1588291200}'
expect: { status: 200, body: null }
`,
];

/** The example sources that ask without logging in, and one of JSON lines. */
export function hostileDialects(): readonly Dialect[] {
  const names = readdirSync(examples).filter((file) => file.endsWith('.yaml'));
  const shipped = names.flatMap((file): readonly Dialect[] => {
    const text = readFileSync(examples + file, 'utf8');
    const name = basename(file, '.yaml');
    return LOGS_IN.test(text) ? [] : [{ name, text, seeds: seedsOf(name) }];
  });
  const lines = LINE_SEEDS.map((text, index) => seedOf(`lines ${index}`, text));
  return [...shipped, { name: 'lines', text: LINES, seeds: lines }];
}

const WORD = /[A-Za-z_@$][\w@$-]*/g;

function wordsOf(map: MappingSpec, isText: (field: string) => boolean): readonly string[] {
  return Object.entries(map).flatMap(([field, mapping]) =>
    // The steps, too: a field may be read out of a JSON text.
    isText(field) ? [...JSON.stringify(mapping).matchAll(WORD)].map(([word]) => word) : [],
  );
}

/** Every name under which a text of a reply may rightly leave the gateway. */
export function textKeysOf({ resources: specs }: SourceSpec): ReadonlySet<string> {
  const words = (['users', 'products'] as const satisfies ResourceName[]).flatMap((name) => {
    const spec = specs[name];
    if (spec === undefined) return [];
    const { itemFields, detailFields } = resources[name];
    const texts = new Set(
      [...itemFields, ...detailFields]
        .filter(({ kind }) => kind === 'text' || (kind === 'id' && spec.id.kind === 'text'))
        .map((field) => field.name),
    );
    return [spec.list.map, spec.get?.map ?? {}].flatMap((map) => wordsOf(map, (field) => texts.has(field)));
  });
  return new Set(words);
}
