import type { SampleUser } from '../../../../src/cli/demo/data/generate-users.ts';
import { startStack } from '../../../support/gateway/stack.ts';
import { decision } from '../decisions.ts';
import { startForAll } from '../../../support/jest/lifetime.ts';

/** A user as the legacy service has it; `created` in epoch seconds. */
function user(cid: bigint, fname: string | null, created: number | null, mail: string | null): SampleUser {
  const rest = {
    lname: null,
    notes: null,
    town: null,
    picture: null,
    natid: '',
    tel: '',
    login: '',
    pwd: '',
  };
  return { truth: {}, legacy: { cid, fname, created, mail, ...rest } } as unknown as SampleUser;
}

// Composed and decomposed, astral and not, equal and missing: what naive orders get wrong.
const users = [
  user(2n, 'Z', 1_000_000_000, 'b@x.example'),
  user(9n, 'é', 1_000_000_001, 'a@x.example'),
  user(10n, 'e\u0301', 1_000_000_001, null),
  user(11n, '\uFFFD', 999_999_999, 'B@x.example'),
  user(12n, '😀', null, 'b@x.example'),
  user(100n, null, 1_200_000_000, 'ä@x.example'),
  user(101n, 'a', null, null),
  user(9007199254740993n, 'z', 86_400, 'z@x.example'),
];

const stack = startForAll(() => startStack({ users }));

async function order(query: string): Promise<string[]> {
  const response = await stack.get(`/v1/users?${query}`);
  expect(response.status).toBe(200);
  const { data } = (await response.json()) as { data: { id: string }[] };
  return data.map(({ id }) => id.slice('user_'.length));
}

const huge = '9007199254740993';

describe(decision('Sort order'), () => {
  it.each([
    // By code point: Z, a, z, é (twice, by id), U+FFFD, U+1F600; the unnamed last.
    ['name', ['2', '101', huge, '9', '10', '11', '12', '100']],
    ['-name', ['12', '11', '9', '10', huge, '101', '2', '100']],
    ['email', ['11', '9', '2', '12', huge, '100', '10', '101']],
    ['-email', ['100', huge, '2', '12', '9', '11', '10', '101']],
    ['created_at', [huge, '11', '2', '9', '10', '100', '12', '101']],
    ['-created_at', ['100', '9', '10', '2', '11', huge, '12', '101']],
    ['id', ['2', '9', '10', '11', '12', '100', '101', huge]],
    ['-id', [huge, '101', '100', '12', '11', '10', '9', '2']],
  ])('sort=%s', async (sort, expected) => {
    expect(await order(`sort=${sort}`)).toEqual(expected);
  });

  it.each(['name', '-name', 'email', '-email', 'created_at', '-created_at', 'id', '-id'])(
    'sort=%s gives pages that never overlap and leave nothing out',
    async (sort) => {
      const pages = await Promise.all([1, 2, 3].map((page) => order(`sort=${sort}&limit=3&page=${page}`)));
      expect(pages.flat()).toEqual(await order(`sort=${sort}`));
    },
  );
});

describe(decision('No sort'), () => {
  it('is by id, by its number, on every page', async () => {
    const all = ['2', '9', '10', '11', '12', '100', '101', huge];
    expect(await order('')).toEqual(all);
    const pages = await Promise.all([1, 2, 3, 4].map((page) => order(`limit=2&page=${page}`)));
    expect(pages.flat()).toEqual(all);
  });
});

describe(decision('sort'), () => {
  it.each([
    '',
    '-',
    'Name',
    'name,id',
    '--name',
    '+name',
    '%2Bname',
    'name%20',
    'profile',
    'password',
    'CID',
  ])('sort=%s is refused with the list of what is allowed', async (sort) => {
    const response = await stack.get(`/v1/users?sort=${sort}`);
    expect(response.status).toBe(400);
    const { error } = (await response.json()) as { error: { code: string; message: string } };
    expect(error.code).toBe('invalid_parameter');
    expect(error.message).toMatch(/"sort".*id, name, email, created_at/);
  });

  it('is unknown to products, and so ignored there', async () => {
    expect((await stack.get('/v1/products?sort=nothing')).status).toBe(200);
  });
});
