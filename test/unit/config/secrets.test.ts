import { setImmediate } from 'node:timers/promises';
import { inspect } from 'node:util';
import fc from 'fast-check';
import { problemText } from '../../../src/config/yaml/problem.ts';
import { gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

const canary = 'canary-2b7e';
const variables = {
  PORTICO_KEY_PEPPER: `${canary}-long-enough`,
  REDIS_URL: `redis://:${canary}@127.0.0.1:6379`,
  ORDERS_TOKEN: canary,
  USERS_USER: canary,
  USERS_PASSWORD: canary,
  CATALOG_KEY: canary,
};

/** Everything that printing a value could show. */
const shown = (value: unknown) => inspect(value, { depth: 20, showHidden: true, maxArrayLength: null });

describe('secrets of a configuration', () => {
  const loaded = loadTexts({ variables });

  it('are there, and can be used', () => {
    expect(loaded.problems).toEqual([]);
    expect(loaded.config.gateway?.auth.apiKeys?.pepper.reveal()).toContain(canary);
    expect(loaded.config.gateway?.redis.url?.reveal()).toContain(canary);
    const { auth } = loaded.config.sources.get('crm')!.spec;
    expect(auth.kind === 'basic' && auth.password.reveal()).toBe(canary);
  });

  it('are not in the configuration as JSON, nor in its sources', () => {
    expect(JSON.stringify(loaded.config)).not.toContain(canary);
    for (const source of loaded.config.sources.values()) expect(JSON.stringify(source)).not.toContain(canary);
    expect(JSON.stringify(loaded.compiled)).not.toContain(canary);
  });

  it('are not shown when the configuration is printed', () => {
    expect(shown(loaded.config)).not.toContain(canary);
    expect(shown(loaded.compiled)).not.toContain(canary);
  });

  const holders = [
    ['portico.yaml', 'pepper:'],
    ['portico.yaml', 'X-Orders-Token:'],
    ['portico.yaml', 'url:'],
    ['crm.yaml', 'user:'],
    ['crm.yaml', 'password:'],
    ['catalog.yaml', 'value:'],
  ] as const;
  const mistakes = [
    ...[
      `"${canary}" "${canary}"`,
      `[${canary}`,
      `[${canary}]`,
      `{ ${canary}: 1 }`,
      `${canary}: ${canary}`,
      `@${canary}`,
    ],
    ...[
      `"${canary}`,
      `"\\z${canary}"`,
      `- ${canary}`,
      `'${canary}' ${canary}`,
      `}${canary}`,
      `\n${canary}`,
      `\n"${canary}" ]`,
    ],
  ];

  it('are not told by what the parser says of a text that it cannot read, whatever it is', () => {
    const signs = '[ ] { } , : - ? | > & * ! !< % @ ` # " \' \\z'.split(' ');
    const spaces = [' ', '\n', '\n  '];
    const piece = fc.constantFrom(...signs, ...spaces, canary, canary, `"${canary}"`, `'${canary}'`);
    fc.assert(
      fc.property(fc.array(piece, { minLength: 1, maxLength: 6 }), (pieces) => {
        const { problems } = loadTexts({
          gateway: `auth:\n  pepper: ${pieces.join('')}\nlog: 1\n`,
          sources: {},
        });
        const ofTheParser = problems.filter(({ path }) => path === '');
        expect(ofTheParser.map(problemText).join('\n')).not.toContain(canary);
      }),
      {
        numRuns: 3_000,
        // Each was told once.
        examples: [`|${canary}`, `!${canary}`, `*${canary}`, `]|\n%${canary}`, `"\\x${canary}"`].map(
          (text) => [[text]],
        ),
      },
    );
  });

  describe.each(holders)('are not revealed when %s cannot be read at %s', (file, key) => {
    it.each(mistakes)('%j', (mistake) => {
      const texts: Record<string, string> = { 'portico.yaml': gatewayText, ...sourceTexts };
      texts[file] = texts[file]!.replace(new RegExp(`(?<= ${key}) .*`), () => ` ${mistake}`);
      const { 'portico.yaml': gateway = '', ...sources } = texts;
      const { problems } = loadTexts({ gateway, sources });
      expect(problems.length).toBeGreaterThan(0);
      expect(problems.map(problemText).join('\n')).not.toContain(canary);
    });
  });
});

describe('a key that is a list or a map', () => {
  it('is refused without a warning of the process, which would quote it', async () => {
    const warnings: Error[] = [];
    const note = (warning: Error) => void warnings.push(warning);
    process.on('warning', note);
    try {
      const { config } = loadTexts({ gateway: `[${canary}]: x\n{ ${canary}: y }: z\n`, sources: {} });
      expect(config.gateway).toBeUndefined();
      await setImmediate();
      expect(warnings).toEqual([]);
    } finally {
      process.off('warning', note);
    }
  });
});
