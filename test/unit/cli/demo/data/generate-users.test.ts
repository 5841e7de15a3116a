import { type SampleUser, generateUsers } from '../../../../../src/cli/demo/data/generate-users.ts';

const users = generateUsers({ seed: 1 });
const rows = users.map((user) => user.legacy);

/** How often each value occurs. */
function tally(values: readonly unknown[]): number[] {
  const counts = new Map<unknown, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return [...counts.values()];
}

function trimmedName({ legacy: { fname, lname } }: SampleUser): string | null {
  const parts = [fname, lname].map((part) => (part ?? '').trim()).filter((part) => part !== '');
  return parts.length === 0 ? null : parts.join(' ');
}

describe('generated users', () => {
  it('are the same for the same seed and others for another', () => {
    expect(generateUsers({ seed: 1 })).toEqual(users);
    expect(generateUsers({ seed: 2 })).not.toEqual(users);
  });

  it.each([0, 1, 3, 50, 5_000])('are as many as asked for: %d', (count) => {
    expect(generateUsers({ seed: 1, count })).toHaveLength(count);
  });

  it('are 5000 by default', () => {
    expect(users).toHaveLength(5_000);
  });

  it('have unique, ascending numbers with gaps, and ids made of them', () => {
    expect(new Set(rows.map((row) => row.cid)).size).toBe(users.length);
    expect(rows).toEqual(rows.toSorted((a, b) => (a.cid < b.cid ? -1 : 1)));
    expect(rows[4_000]?.cid).toBeGreaterThan(4_100n);
    for (const { truth, legacy } of users) expect(truth.id).toBe(`user_${legacy.cid}`);
  });

  it('end with three numbers beyond 2^53, two of which are one number as doubles', () => {
    const wide = rows.map((row) => row.cid).filter((cid) => cid > 2n ** 53n);
    expect(wide).toEqual([9007199254740993n, 9007199254740995n, 9007199254740996n]);
    expect(Number(wide[1])).toBe(Number(wide[2]));
  });

  it('read back from the row give the truth', () => {
    for (const user of users) {
      const { truth, legacy } = user;
      const seconds = Number(legacy.created);
      const mail = legacy.mail?.trim() ?? '';
      expect(truth).toEqual({
        id: `user_${legacy.cid}`,
        name: trimmedName(user),
        email: ['', '-', 'N/A'].includes(mail) ? null : mail,
        created_at: seconds === 0 ? null : new Date(seconds * 1_000).toISOString().replace('.000', ''),
        profile: {
          bio: legacy.notes === '' ? null : (legacy.notes ?? null),
          location: legacy.town === '' ? null : (legacy.town ?? null),
          avatar_url: legacy.picture === '' || legacy.picture === 'none' ? null : (legacy.picture ?? null),
        },
      });
    }
  });
});

describe('the dirt in generated users', () => {
  it.each([
    ['created', [0, '', null]],
    ['fname', [null, '', '  ', undefined]],
    ['lname', [null, '', '  ', undefined]],
    ['mail', [null, '', '-', 'N/A']],
    ['notes', [null, '', undefined]],
    ['town', [null, '', undefined]],
    ['picture', [null, '', undefined, 'none']],
  ] as const)('has a missing %s in every form', (field, forms) => {
    const seen = new Set<unknown>(rows.map((row) => row[field]));
    for (const form of forms) expect(seen).toContain(form);
  });

  it('has names without the one part, without the other and without both', () => {
    const kinds = rows.map(
      ({ fname, lname }) => `${(fname ?? '').trim() !== ''} ${(lname ?? '').trim() !== ''}`,
    );
    expect(new Set(kinds).size).toBe(4);
    expect(users.filter(({ truth }) => truth.name === null).length).toBeGreaterThan(10);
  });

  it('has spaces before and behind names and mail addresses', () => {
    for (const field of ['fname', 'lname', 'mail'] as const) {
      expect(rows.some((row) => /^ +\S/.test(row[field] ?? ''))).toBe(true);
      expect(rows.some((row) => /\S +$/.test(row[field] ?? ''))).toBe(true);
    }
  });

  it('has created as text in about one row of seven', () => {
    const texts = rows.filter((row) => typeof row.created === 'string' && row.created !== '').length;
    expect(texts / rows.length).toBeCloseTo(1 / 7, 1);
  });

  it('has many ties in name, mail address and time', () => {
    for (const field of ['name', 'email', 'created_at'] as const) {
      const counts = tally(users.map(({ truth }) => truth[field]).filter((value) => value !== null));
      expect(counts.filter((count) => count > 1).length).toBeGreaterThan(0);
      expect(Math.max(...counts)).toBeGreaterThan(3);
    }
  });

  it('has the same name precomposed and decomposed', () => {
    const names = new Set(users.map(({ truth }) => truth.name).filter((name) => name !== null));
    const twins = [...names].filter(
      (name) => name !== name.normalize('NFC') && names.has(name.normalize('NFC')),
    );
    expect(twins.length).toBeGreaterThan(20);
  });

  it('has names whose order by code point differs from that by UTF-16 unit', () => {
    const starts = users.map(({ truth }) => truth.name?.codePointAt(0) ?? 0);
    expect(starts.some((start) => start > 0xffff)).toBe(true);
    expect(starts.some((start) => start >= 0xe000 && start <= 0xffff)).toBe(true);
  });

  it('has names in Chinese, Japanese and Korean, with emoji, and names that differ only in case', () => {
    const names = users.map(({ truth }) => truth.name ?? '');
    for (const kind of [/\p{sc=Han}/u, /\p{sc=Hiragana}/u, /\p{sc=Hangul}/u, /\p{Extended_Pictographic}/u]) {
      expect(names.some((name) => kind.test(name))).toBe(true);
    }
    expect(new Set(names.map((name) => name.toLowerCase())).size).toBeLessThan(new Set(names).size);
  });

  it('has free text with quotes, line breaks, backslashes, markup and emoji', () => {
    const notes = rows.map((row) => row.notes ?? '').join('');
    for (const piece of ['"', '\n', '\t', '\\', '<b>', '🚲', '日本']) expect(notes).toContain(piece);
  });
});
