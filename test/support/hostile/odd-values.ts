import { createRandom } from '../../../src/cli/demo/data/random.ts';

/** What a value may hold that databases, proxies or parsers stumble over; each piece is percent-encoded already. */
const PIECES = [
  ...Array.from({ length: 32 }, (_, code) => `%${code.toString(16).padStart(2, '0')}`),
  ...['%7f', '%c2%80', '%c2%85', '%c2%9f', '%00', '%2500', '~00', '~0a', '~1f', '~7f', '~c2~85', '~00~00'],
  // Lone surrogates, overlong forms and other bytes that are no UTF-8.
  ...['%ed%a0%80', '%ed%bf%bf', '%c0%80', '%c0%af', '%ff', '%fe', '%e2%82', '~ed~a0~80', '~c0~80', '~ff'],
  ...['%2f', '%252f', '%5c', '..', '%2e%2e', '..%2f..%2f', '.', '~2f', '~2e~2e', '%3f', '%23', '%26', '%3d'],
  ...[
    '|',
    '%7c',
    '~7c',
    "'",
    '%27',
    "'%20OR%20'1'='1",
    '%22',
    '~22',
    '%60',
    ';',
    '--',
    '%2a',
    '(',
    ')',
    '%25',
  ],
  ...[
    '%20',
    '+',
    '%09',
    '%0d%0aX-Injected:%201',
    '%e2%80%ae',
    '%e2%80%8b',
    '%ef%bb%bf',
    '%ef%bc%87',
    '%ef%bf%be',
  ],
  ...[
    '%',
    '%zz',
    '%u0000',
    '{value}',
    '{id}',
    '${x}',
    '%3cscript%3e',
    'javascript:',
    '\\',
    'null',
    '-1',
    '1e999',
  ],
  ...['9'.repeat(60), 'a'.repeat(200), '%f0%9f%98%80', '%c3%a9', 'e%cc%81', 'NaN', '0x1', '__proto__', 'me'],
];

/** So many odd values as they stand in a path or a query; the same ones for the same seed. */
export function oddValues(count: number, seed = 11): readonly string[] {
  const random = createRandom(seed);
  const piece = () => random.pick(PIECES);
  return Array.from({ length: count }, (_, index) => {
    // Each piece alone, then among others.
    if (index < PIECES.length) return PIECES[index]!;
    return [piece(), random.pick(['', 'Toys', '3', 'abc']), piece(), random.pick(['', piece()])].join('');
  });
}

/** The targets that ask with an odd value: as every parameter of both lists, and as the id behind every prefix. */
export function oddTargets(value: string): readonly string[] {
  const users = ['page', 'limit', 'sort', 'category'].map((name) => `/v1/users?${name}=${value}`);
  const products = ['page', 'limit', 'category', 'min_price', 'max_price', value];
  return [
    ...users,
    ...products.map((name) => `/v1/products?${name}=${value}`),
    ...['', 'user_', 'user_3'].map((prefix) => `/v1/users/${prefix}${value}`),
  ];
}

/** Whether a part of a request holds a control character, as it is or percent-decoded. The text `%00` holds none. */
export function holdsControl(text: string): boolean {
  const decoded = text.replaceAll(/(?:%[0-9a-f]{2})+/gi, (bytes) =>
    Buffer.from(bytes.replaceAll('%', ''), 'hex').toString('utf8'),
  );
  return /\p{Cc}/u.test(text + decoded);
}
