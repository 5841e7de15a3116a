import { sampleCredentials } from '../../../../src/cli/demo/serve.ts';
import { generateUsers } from '../../../../src/cli/demo/data/generate-users.ts';
import { type Person, personOf, withMistakes } from '../../../../src/cli/demo/people-records.ts';
import { createPeopleService } from '../../../../src/cli/demo/people-service.ts';
import { ask } from './ask.ts';

type Reply = {
  readonly people: readonly Person[];
  readonly totalCount: number;
  readonly page: { readonly nextCursor: string | null };
};

const users = generateUsers({ seed: 1 });
const right = users.map(({ truth }, index) => personOf(truth, index, '~canary~'));
const { people: credentials } = sampleCredentials;
const authorization = `Bearer ${credentials.token}`;
const clean = createPeopleService({ users, credentials, secretMarker: '~canary~', isClean: true });
const copied = createPeopleService({ users, credentials, secretMarker: '~canary~' });
const bases = { clean: '', copied: '' };

beforeAll(async () => {
  bases.clean = (await clean.listen()).url;
  bases.copied = (await copied.listen()).url;
});
afterAll(async () => {
  await clean.close();
  await copied.close();
});

async function get(query: string, base = bases.clean): Promise<Reply> {
  const { status, bytes } = await ask(`${base}/api/people${query}`, { headers: { authorization } });
  expect(status).toBe(200);
  return JSON.parse(bytes.toString()) as Reply;
}

async function statusOf(query: string): Promise<number> {
  return (await ask(`${bases.clean}/api/people${query}`, { headers: { authorization } })).status;
}

/** Every person, by following the cursors. */
async function walk(query: string, base = bases.clean): Promise<readonly Person[]> {
  const rows: Person[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const after: string = cursor === '' ? '' : `&cursor=${cursor}`;
    const { people, page } = await get(`?pageSize=100${query}${after}`, base);
    rows.push(...people);
    cursor = page.nextCursor;
  }
  return rows;
}

describe('the pages of the people service', () => {
  it('walked by their cursors are all people once, by their old numbers', async () => {
    expect(await walk('')).toEqual(right);
  });

  it('hold 20 people, or up to 100, and tell how many there are', async () => {
    const { people, totalCount } = await get('');
    expect([people.length, totalCount]).toEqual([20, 5_000]);
    expect((await get('?pageSize=500')).people).toHaveLength(100);
  });

  it.each(['?pageSize=0', '?pageSize=x', '?cursor=nonsense', '?orderBy=about', '?direction=up'])(
    'are refused for %s',
    async (query) => {
      expect(await statusOf(query)).toBe(400);
    },
  );

  it('take no cursor of another order', async () => {
    const { page } = await get('?orderBy=displayName');
    expect(await statusOf(`?orderBy=createdAt&cursor=${page.nextCursor ?? ''}`)).toBe(400);
  });

  it('are sorted by code point, unknown values last in both directions, ties by ascending number', async () => {
    const names = (await walk('&orderBy=displayName&direction=desc')).map(({ displayName }) => displayName);
    const known = names.filter((name) => name !== null);
    expect(names.slice(known.length).every((name) => name === null)).toBe(true);
    const bytes = known.map((name) => Buffer.from(name.normalize('NFC')));
    expect(bytes.every((one, at) => at === 0 || one.compare(bytes[at - 1]!) <= 0)).toBe(true);
    const tied = (await walk('&orderBy=emailAddress&direction=desc')).filter(
      ({ emailAddress }) => emailAddress === 'info@firma.example',
    );
    const numbers = tied.map(({ legacyId }) => BigInt(legacyId));
    expect(numbers).toEqual(numbers.toSorted((a, b) => (a < b ? -1 : 1)));
  });
});

describe('a person of the people service', () => {
  it('has an id of its own, and is found by the number of the CRM, beyond 2^53 too', async () => {
    const { people } = await get('?legacyId=9007199254740993');
    expect(people).toEqual([right.at(-3)]);
    expect(new Set(right.map(({ personId }) => personId)).size).toBe(right.length);
    expect(await get('?legacyId=2')).toMatchObject({ people: [], totalCount: 0 });
  });

  it('is shown to nobody without the token', async () => {
    const { status, bytes } = await ask(`${bases.clean}/api/people`);
    expect([status, bytes.toString()]).toEqual([401, '{"error":"unauthorized"}']);
  });
});

describe('the copy of the people', () => {
  it('differs from the right one by twelve planted mistakes: eleven people, and one order', async () => {
    const wrong = withMistakes(right);
    const kept = new Set(wrong);
    expect(right.filter((person) => !kept.has(person))).toHaveLength(11);
    expect(wrong).toHaveLength(right.length - 1);
    expect(await walk('', bases.copied)).toEqual(wrong);
    const numbers = (await walk('&orderBy=emailAddress', bases.copied))
      .filter(({ emailAddress }) => emailAddress === 'info@firma.example')
      .map(({ legacyId }) => BigInt(legacyId));
    const falls = numbers.filter((number, at) => at > 0 && number < numbers[at - 1]!);
    expect(falls).toHaveLength(1);
  });

  it('is right once it was repaired', async () => {
    const { status } = await ask(`${bases.copied}/api/repair`, {
      method: 'POST',
      headers: { authorization },
    });
    expect(status).toBe(200);
    expect(await walk('', bases.copied)).toEqual(right);
  });
});
