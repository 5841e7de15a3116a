import { hideSecrets } from '../../../../src/config/yaml/hide-secrets.ts';

const SECRET = 'canary-5ecret';

describe('a configuration that is shown', () => {
  it.each([
    ['a token', `admin:\n  token: ${SECRET}\n`],
    ['a quoted token', `admin:\n  token: "${SECRET}"\n`],
    ['a token in a list', `admin:\n  tokens:\n    - { name: ada, role: operator, token: ${SECRET} }\n`],
    ['a pepper', `auth:\n  apiKeys:\n    pepper: ${SECRET}\n`],
    ['a hash', `admin:\n  tokens:\n    - hash: ${SECRET}\n`],
    ['a password in a block', `redis:\n  password: |\n    ${SECRET}\n    and more\n`],
    ['a folded password', `redis:\n  password: >-\n    ${SECRET}\nlisten: {}\n`],
    ['a password in an address', `redis:\n  url: redis://user:${SECRET}@redis:6379\n`],
    ['the default of a secret variable', `auth:\n  value: \${CRM_TOKEN:-${SECRET}}\n`],
    ['the default of an address', `redis:\n  url: \${REDIS_URL:-redis://:${SECRET}@redis:6379}\n`],
    ['the default of a token', `admin:\n  token: \${A:-${SECRET}}\n`],
    ['a text around a reference', `headers:\n  authorization: Bearer ${SECRET}\${MORE}\n`],
    ['a credential of a source', `auth: { kind: basic, user: ${SECRET}, password: ${SECRET} }\n`],
    ['a field of a login', `auth:\n  kind: session\n  request: { body: { json: { pin: ${SECRET} } } }\n`],
    ['a constant header', `list:\n  request:\n    headers: { X-Api-Key: ${SECRET} }\n`],
    ['a constant parameter', `list:\n  request:\n    query: { api_key: ${SECRET} }\n`],
    ['a parameter in a path', `path: /users?access_token=${SECRET}&limit=3\n`],
    ['a text of JSON', `body: '{"password": "${SECRET}", "a": 1}'\n`],
    ['a text of XML', `body: "<Login><password>${SECRET}</password></Login>"\n`],
    ['a comment', `listen:\n  port: 80 # token: ${SECRET}\n# ${SECRET}\n`],
    ['a comment in a flow', `listen: {\n  port: 80, # ${SECRET}\n}\n`],
    ['a number under a secret name', `password: 99887766 # ${SECRET}\n`],
    ['an anchor', `auth: &a { kind: header, value: ${SECRET} }\nother: *a\n`],
    ['a webhook', `webhooks:\n  - { url: 'https://x.example', secret: ${SECRET} }\n`],
  ])('has no secret of %s, and as many lines', (_, text) => {
    const shown = hideSecrets(text, []);
    expect(shown).not.toContain(SECRET);
    expect(shown).not.toContain('99887766');
    expect(shown.split('\n')).toHaveLength(text.split('\n').length);
  });

  it('has no known secret wherever it stands', () => {
    const text = `a: "x ${SECRET} y"\nb: [${SECRET}]\n${SECRET}: 1\n`;
    expect(hideSecrets(text, [SECRET])).not.toContain(SECRET);
  });

  it('keeps the keys of the format where a secret is a word that is one of them', () => {
    const text = 'portico: 1\nnet: { auth: { kind: basic, user: portico } }\nname: portico-gateway\n';
    expect(hideSecrets(text, ['portico'])).toBe(
      'portico: 1\nnet: { auth: { kind: basic, user: "***" } }\nname: "***"\n',
    );
  });

  it('keeps what is said of an issuer of tokens, but no secret of it', () => {
    const jwt =
      'issuer: https://id.example, audience: api, jwksUrl: "https://id.example/keys", tierClaim: plan';
    const text = `auth: { jwt: { ${jwt}, clientSecret: ${SECRET} } }\n`;
    expect(hideSecrets(text, [])).toBe(`auth: { jwt: { ${jwt}, clientSecret: "***" } }\n`);
  });

  it('keeps what is no secret, with its lines, and the names of variables', () => {
    const text = [
      '# The gateway.',
      'listen: { host: 0.0.0.0, port: "${PORT:-8080}" } # public',
      'admin:',
      '  token: ${ADMIN_TOKEN}',
      'auth: { kind: header, name: X-Key, value: "${CRM_KEY}" }',
      'list:',
      '  request: { path: "/users?limit={limit}#top", query: { q: "a # b" } }',
      "  text: 'it''s'",
      '',
    ].join('\n');
    expect(hideSecrets(text, ['the-value-of-the-variable'])).toBe(
      [
        '',
        'listen: { host: 0.0.0.0, port: "${PORT:-8080}" }',
        'admin:',
        '  token: ${ADMIN_TOKEN}',
        'auth: { kind: header, name: X-Key, value: "${CRM_KEY}" }',
        'list:',
        '  request: { path: "/users?limit={limit}#top", query: { q: "a # b" } }',
        "  text: 'it''s'",
        '',
      ].join('\n'),
    );
  });
});
