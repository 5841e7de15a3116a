import { sampleCredentials } from '../../../../src/cli/demo/serve.ts';
import { generateUsers } from '../../../../src/cli/demo/data/generate-users.ts';
import { createUsersService } from '../../../../src/cli/demo/users-service.ts';
import { ask, parseExactly } from './ask.ts';

type Row = {
  contact: {
    core: {
      cid: string;
      created: unknown;
      person: { fname?: string | null; lname?: string | null; natid: string };
      comm: { mail: string | null; tel: string };
      access: { login: string; pwd: string };
    };
  };
};
type List = {
  rc: string;
  rcText: string;
  reply: { paging: { start: string; cnt: string; hits: string }; rows: Row[] };
};

const users = generateUsers({ seed: 1 });
const service = createUsersService({ users, credentials: sampleCredentials.users, secretMarker: '~canary~' });
const login = { authorization: `Basic ${btoa('portico:crm-sample-password')}` };
let base: string;

beforeAll(async () => {
  base = (await service.listen()).url;
});
afterAll(() => service.close());

/** The text of an answer whose HTTP status was 200, as all of this service's are. */
async function text(path: string, headers: Record<string, string> = login): Promise<string> {
  const { status, bytes } = await ask(base + path, { headers });
  expect(status).toBe(200);
  return bytes.toString('utf8');
}

async function list(query: string): Promise<List> {
  return parseExactly(await text(`/crm/v3/contacts.do${query}`)) as List;
}

async function cids(query: string): Promise<bigint[]> {
  return (await list(query)).reply.rows.map((row) => BigInt(row.contact.core.cid));
}

/** Every row in the asked order, page by page. */
async function walk(query: string): Promise<Row[]> {
  const starts = Array.from({ length: users.length / 40 }, (_, page) => page * 40);
  const pages = await Promise.all(starts.map((start) => list(`?start=${start}&cnt=40&${query}`)));
  return pages.flatMap((page) => page.reply.rows);
}

const natural = users.map((user) => user.legacy.cid);

describe('the window of contacts.do', () => {
  it.each([
    ['', 0, 25],
    ['?cnt=abc', 0, 25],
    ['?cnt=', 0, 25],
    ['?cnt=-3', 0, 25],
    ['?cnt=7', 0, 7],
    ['?cnt=0', 0, 0],
    ['?cnt=40&start=3', 3, 40],
    ['?cnt=41', 0, 40],
    ['?cnt=99999999999999999999&start=x', 0, 40],
    ['?start=13&cnt=2&page=9&ORD=LNAME&nonsense', 13, 2],
  ])('%s gives rows from %d, %d of them', async (query, start, cnt) => {
    const { rc, rcText, reply } = await list(query);
    expect([rc, rcText]).toEqual(['0', 'OK']);
    expect(reply.paging).toEqual({ start: String(start), cnt: String(cnt), hits: '5000' });
    expect(await cids(query)).toEqual(natural.slice(start, start + cnt));
  });

  it('ends with a short page', async () => {
    expect(await cids('?start=4990&cnt=40')).toEqual(natural.slice(4_990));
  });

  it.each(['5000', '999999', '9'.repeat(400)])(
    'has no rows from %s on, and still the hits',
    async (start) => {
      const { reply } = await list(`?start=${start}`);
      expect(reply.rows).toEqual([]);
      expect(reply.paging.hits).toBe('5000');
    },
  );
});

describe('the order of contacts.do', () => {
  it('is by number, either way', async () => {
    expect(await cids('?ord=CID&dir=A&cnt=40')).toEqual(natural.slice(0, 40));
    expect(await cids('?ord=CID&dir=D&cnt=40')).toEqual(natural.toReversed().slice(0, 40));
    expect(await cids('?dir=whatever')).toEqual(natural.slice(0, 25));
  });

  it.each(['A', 'D'])(
    'CREATED %s sorts by the second, what is not known as 0, and ties by number',
    async (dir) => {
      const seconds = new Map(users.map(({ legacy }) => [legacy.cid, Number(legacy.created)]));
      const second = (cid: bigint) => seconds.get(cid) ?? NaN;
      const sign = dir === 'A' ? 1 : -1;
      const walked = (await walk(`ord=CREATED&dir=${dir}`)).map((row) => BigInt(row.contact.core.cid));
      expect(walked).toEqual(natural.toSorted((a, b) => sign * (second(a) - second(b))));
      expect(second(walked.at(dir === 'A' ? 0 : -1) ?? 0n)).toBe(0);
    },
  );

  it('LNAME sorts by the stored family name without regard to case, spaces and all, missing ones first', async () => {
    const stored = (await walk('ord=LNAME')).map((row) =>
      (row.contact.core.person.lname ?? '').toUpperCase(),
    );
    expect(stored).toEqual(stored.toSorted());
    expect(stored[0]).toBe('');
  });

  it.each(['MAIL', 'cid', '', 'CID%20A'])('refuses the unknown order "%s" with rc 90', async (ord) => {
    expect(await text(`/crm/v3/contacts.do?ord=${ord}`)).toBe('{"rc":90,"rcText":"unknown order"}');
  });
});

describe('the rows of contacts.do', () => {
  it('walked to the end are all users once, with names, mail and time that read back as the truth', async () => {
    const rows = await walk('ord=CID');
    const read = rows.map(({ contact: { core } }) => {
      const names = [core.person.fname, core.person.lname].map((part) => part?.trim() ?? '').filter(Boolean);
      const mail = core.comm.mail?.trim() ?? '';
      return {
        id: `user_${core.cid}`,
        name: names.length === 0 ? null : names.join(' '),
        email: /^(-|N\/A|)$/.test(mail) ? null : mail,
        created_at: Number(core.created) === 0 ? null : new Date(Number(core.created) * 1_000).toISOString(),
      };
    });
    expect(read).toEqual(
      users.map(({ truth: { profile: _profile, ...listed } }) => ({
        ...listed,
        created_at: listed.created_at?.replace('Z', '.000Z') ?? null,
      })),
    );
  });

  it('have numbers beyond 2^53 exact, as bare integers', async () => {
    const body = await text('/crm/v3/contacts.do?start=4997&cnt=3');
    expect(body.match(/"cid":[^,]+,/g)).toEqual([
      '"cid":9007199254740993,',
      '"cid":9007199254740995,',
      '"cid":9007199254740996,',
    ]);
  });

  it('are UTF-8, decomposed letters and characters beyond the BMP included', async () => {
    const { headers } = await ask(`${base}/crm/v3/contacts.do`, { headers: login });
    expect(headers.get('content-type')).toBe('application/json; charset=UTF-8');
    const names = (await walk('')).map(({ contact }) => contact.core.person.fname ?? '').join();
    for (const piece of ['🦊', 'Zoe\u0308', 'Zo\u00eb', '太郎']) expect(names).toContain(piece);
  });

  it('leave absent names out and write null and empty ones', async () => {
    const rows = await walk('');
    const people = rows.map((row) => row.contact.core.person);
    expect(people.some((person) => !('fname' in person))).toBe(true);
    expect(people.some((person) => person.fname === null)).toBe(true);
    expect(people.some((person) => person.fname === '')).toBe(true);
  });

  it('all carry the canary in every secret', async () => {
    for (const { contact } of (await list('?cnt=40')).reply.rows) {
      const { person, comm, access } = contact.core;
      for (const secret of [person.natid, comm.tel, access.login, access.pwd])
        expect(secret).toContain('~canary~');
    }
  });
});

describe('contact.do', () => {
  it('shows the same person under other names, all as text', async () => {
    const user = users.find(({ truth, legacy }) => truth.profile.bio !== null && legacy.created !== null);
    if (user === undefined) throw new Error('no such user in the data');
    const { legacy } = user;
    const body = await text(`/crm/v3/contact.do?cid=${legacy.cid}`);
    expect(JSON.parse(body)).toEqual({
      rc: 0,
      rcText: 'OK',
      reply: {
        card: {
          entity: {
            ident: {
              no: String(legacy.cid),
              since: String(legacy.created),
              natid: `${legacy.natid}~canary~`,
            },
            naming: { given: legacy.fname, family: legacy.lname },
            reach: { email: legacy.mail, phone: `${legacy.tel}~canary~` },
            about: { notes: legacy.notes, town: legacy.town, picture: legacy.picture },
            secret: { pwd: `${legacy.pwd}~canary~` },
          },
        },
      },
    });
  });

  it('finds numbers beyond 2^53 exactly, and numbers with leading zeros', async () => {
    expect(await text('/crm/v3/contact.do?cid=9007199254740995')).toContain('"no":"9007199254740995"');
    expect(await text('/crm/v3/contact.do?cid=9007199254740996')).toContain('"no":"9007199254740996"');
    expect(await text(`/crm/v3/contact.do?cid=000${natural[0]}`)).toContain(`"no":"${natural[0]}"`);
  });

  it('shows an unknown time as null, empty text or 0, never as a key left out', async () => {
    const unknown = users.filter(({ truth }) => truth.created_at === null).slice(0, 40);
    const bodies = await Promise.all(
      unknown.map(({ legacy }) => text(`/crm/v3/contact.do?cid=${legacy.cid}`)),
    );
    const shown = new Set(bodies.map((body) => /"since":([^,]+),/.exec(body)?.[1]));
    expect(shown).toEqual(new Set(['null', '""', '"0"']));
  });

  it.each([
    '?cid=1000000',
    '?cid=abc',
    '?cid=-1',
    '?cid=1.0',
    '?cid=',
    '',
    `?cid=${'9'.repeat(2_000)}`,
    '?cid=9007199254740994',
  ])('answers rc 44 to %s', async (query) => {
    expect(await text(`/crm/v3/contact.do${query}`)).toBe('{"rc":44,"rcText":"no such contact"}');
  });
});

describe('the edges of the users service', () => {
  it.each([
    [{}],
    [{ authorization: `Basic ${btoa('portico:wrong')}` }],
    [{ authorization: 'Basic' }],
    [{ authorization: 'Bearer crm-sample-password' }],
  ])('refuses the login %j with rc 16 and nothing else', async (headers) => {
    const refused = '{"rc":16,"rcText":"login failed"}';
    expect(await text('/crm/v3/contacts.do', headers)).toBe(refused);
    expect(await text('/crm/v3/contact.do?cid=1', headers)).toBe(refused);
  });

  it.each(['/', '/crm/v3/contacts', '/crm/v3/contacts.do/', '/__proto__'])(
    'shows an HTML page for %s',
    async (path) => {
      const { status, headers, bytes } = await ask(base + path, { headers: login });
      expect(status).toBe(200);
      expect(headers.get('content-type')).toContain('text/html');
      expect(bytes.toString()).toMatch(/^<html>.*<\/html>$/);
    },
  );
});
