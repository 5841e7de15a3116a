import { gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

describe('the shipped configuration', () => {
  it('loads and compiles without a problem, and without a variable set', () => {
    const { config, compiled, problems } = loadTexts({});
    expect(problems).toEqual([]);
    expect(config.gateway?.listen.port).toBe(8080);
    expect(
      compiled.map(({ resource, source }) => `${resource.name} from ${source.spec.name}`).sort(),
    ).toEqual(['products from catalog', 'users from crm', 'users from people']);
  });

  it.each(Object.keys(sourceTexts))('has a source in %s that stands for itself', (file) => {
    const { problems } = loadTexts({ sources: { [file]: sourceTexts[file]! } });
    expect(problems.filter((problem) => problem.file === file)).toEqual([]);
  });

  it('takes every value that it leaves to the environment', () => {
    const names = [...(gatewayText + Object.values(sourceTexts).join('')).matchAll(/\$\{([A-Z_]+):-/g)];
    expect(names.length).toBeGreaterThan(8);
    const sample = (name: string) => {
      if (name.endsWith('PORT')) return '1234';
      if (name === 'LOG_LEVEL') return 'debug';
      if (name === 'WORKERS') return 'auto';
      if (name === 'REDIS_URL') return 'redis://127.0.0.1:1';
      return name.endsWith('URL') ? 'http://127.0.0.1:1' : `a-value-of-${name}`;
    };
    const variables = Object.fromEntries(names.map(([, name = '']) => [name, sample(name)]));
    const { config, problems } = loadTexts({ variables });
    expect(problems).toEqual([]);
    expect(config.gateway?.listen).toMatchObject({ host: 'a-value-of-HOST', port: 1234 });
    expect(config.gateway?.auth.apiKeys?.pepper.reveal()).toBe('a-value-of-PORTICO_KEY_PEPPER');
  });
});
