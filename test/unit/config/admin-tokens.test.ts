import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { problemText } from '../../../src/config/yaml/problem.ts';
import { gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

function problemsOf(gateway: string): string[] {
  return loadTexts({ gateway, sources: sourceTexts }).problems.map(problemText);
}

describe("the operator's listener has a token where other machines can reach it", () => {
  const listening = (host: string, token: string) =>
    problemsOf(
      gatewayText.replace(/^admin:\n(?: .*\n)+/m, `admin:\n  host: '${host}'\n  token: '${token}'\n`),
    );

  it.each(['0.0.0.0', '::', '10.1.2.3', 'gateway.internal'])('such as %s', (host) => {
    expect(listening(host, '')).toEqual([
      expect.stringContaining(
        `admin.host: anyone who reaches ${host} could read the metrics and purge the cache\n    hint: add admin.token`,
      ),
    ]);
    expect(listening(host, 'sixteen-or-more-characters')).toEqual([]);
  });

  it.each(['127.0.0.1', '127.9.9.9', '::1', 'localhost'])('and need not at %s', (host) => {
    expect(listening(host, '')).toEqual([]);
  });

  const TOKEN = 'sixteen-or-more-characters';
  const HASH = createHash('sha256').update(TOKEN).digest('hex');
  const withTokens = (...tokens: string[]) =>
    problemsOf(
      gatewayText.replace(
        /^admin:\n(?: .*\n)+/m,
        `admin:\n  host: 0.0.0.0\n  tokens:\n${tokens.map((one) => `    - ${one}\n`).join('')}`,
      ),
    );

  it('or one of several with names and roles, as texts or as hashes', () => {
    expect(
      withTokens(
        `{ name: grafana, role: viewer, hash: '${HASH}' }`,
        '{ name: ada, role: operator, token: another-token-of-ada }',
      ),
    ).toEqual([]);
  });

  it.each([
    ['{ name: ada, role: viewer }', 'admin.tokens[1].token: the token "ada" is empty'],
    [
      '{ name: bob, role: viewer, token: another-token-of-ada }',
      'admin.tokens[1].name: the name "bob" is taken',
    ],
    [`{ name: ada, role: viewer, hash: '${HASH}' }`, 'admin.tokens[1].token: "bob" has the same token'],
    [
      `{ name: ada, role: viewer, token: another-token-of-ada, hash: '${'0'.repeat(64)}' }`,
      'admin.tokens[1].hash: the token "ada" is given twice',
    ],
    ['{ name: ada, role: viewer, token: short }', 'admin.tokens[1].token: expected 16 to 512'],
    ['{ name: ada, role: root, token: another-token-of-ada }', 'admin.tokens[1].role'],
  ])('and is refused as %s', (entry, problem) => {
    expect(withTokens(`{ name: bob, role: operator, token: ${TOKEN} }`, entry)).toEqual([
      expect.stringContaining(problem),
    ]);
  });

  describe('which has 128 bits, or a note says that it has not', () => {
    const notesOf = (entry: string) =>
      loadTexts({
        gateway: gatewayText.replace(/^admin:\n(?: .*\n)+/m, `admin:\n  ${entry}\n`),
        sources: sourceTexts,
      })
        .config.notes.map(problemText)
        .filter((note) => note.includes('admin.'));
    const WEAK = 'the token has fewer than 128 bits';

    it.each([
      ['words', 'the-token-of-ada-the-operator'],
      ['words and a number', 'operator-token-0123456789'],
      ['capital words', 'Portico.Admin.TOKEN.2026'],
      ['the fewest characters', 'x8Kq2v_ZpT0aLw9d'],
      ['digits', '1'.repeat(38)],
      ['31 hexadecimal digits', '0123456789abcdef0123456789abcde'],
    ])('has a note for %s', (_, token) => {
      expect(notesOf(`token: '${token}'`)).toEqual([
        expect.stringMatching(
          /^portico\.yaml:\d+:\d+: admin\.token: the token has fewer.*\n {4}hint: openssl/,
        ),
      ]);
      const notes = notesOf(`tokens: [{ name: ada, role: viewer, token: '${token}' }]`);
      expect(notes).toEqual([expect.stringContaining(`admin.tokens[0].token: ${WEAK}`)]);
      expect(notes.join()).not.toContain(token);
    });

    it('has none for a token that a generator makes, and none for a hash', () => {
      for (let round = 0; round < 20; round += 1)
        for (const token of [
          randomBytes(16).toString('hex'),
          randomBytes(16).toString('hex').toUpperCase(),
          randomBytes(16).toString('base64url'),
          randomBytes(24).toString('base64'),
          randomUUID(),
        ])
          expect([token, notesOf(`token: '${token}'`)]).toEqual([token, []]);
      expect(notesOf(`tokens: [{ name: ada, role: viewer, hash: '${HASH}' }]`)).toEqual([]);
    });
  });

  it('which is long enough not to be guessed', () => {
    expect(listening('127.0.0.1', 'short')).toEqual([
      expect.stringContaining('admin.token: expected 16 to 512'),
    ]);
  });
});
