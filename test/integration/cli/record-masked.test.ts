import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fixtureTexts } from '../../support/command/fixture-texts.ts';
import { runCommand } from '../../support/command/run-command.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { createSampleServices, fewProducts, fewUsers } from '../../support/gateway/sample-services.ts';
import { startForEach } from '../../support/jest/lifetime.ts';

let env: Record<string, string>;
const config = startForEach(copyConfig);
beforeEach(() => {
  config.drop('fixtures');
  env = {};
});

const record = (...args: string[]) => runCommand(['--config', config.file, 'test', '--record', ...args], env);
const replay = () => runCommand(['--config', config.file, 'test'], {});

describe('portico test --record', () => {
  const MARKER = 'CanaryOfASecret77';

  it('keeps no text of the records by default, and replays', async () => {
    const services = createSampleServices({ secretMarker: MARKER });
    env = { ...(await services.listen()) };
    const [users, products] = [await record('crm'), await record('catalog')];
    await services.close();
    expect([users.code, products.code]).toEqual([0, 0]);
    expect((await replay()).out).toContain('19 passed, 0 failed');

    const text = fixtureTexts(config.file, 'crm') + fixtureTexts(config.file, 'catalog');
    expect(text).not.toContain(MARKER);
    const words = [
      ...fewUsers.flatMap(({ truth }) => [
        truth.email,
        truth.name,
        truth.profile.bio,
        truth.profile.location,
      ]),
      ...fewProducts.flatMap(({ truth }) => [truth.name, truth.description]),
    ].filter((word) => (word ?? '').length > 4);
    expect(words.length).toBeGreaterThan(100);
    expect(words.filter((word) => text.includes(word!))).toEqual([]);
  });

  it('keeps ids, codes, numbers and totals', async () => {
    const services = createSampleServices({});
    env = { ...(await services.listen()) };
    await record(
      'catalog',
      '/v1/products?limit=20',
      '/v1/products?category=Books&limit=5',
      '/v1/products?min_price=20',
    );
    await record('catalog', '/v1/products?max_price=20');
    await services.close();
    const { out } = await replay();
    expect(out).toContain('4 passed, 0 failed');
    const folder = config.file.replace('portico.yaml', 'fixtures/catalog');
    const answer = (name: string) =>
      readFileSync(join(folder, `products-${name}.yaml`), 'utf8').split('expect:')[1]!;
    const ids = [...answer('limit-20').matchAll(/id: (\w+)\n/g)].map(([, id]) => id);
    expect(ids).toEqual(fewProducts.slice(0, 20).map(({ truth }) => truth.id));
    expect(answer('category-books-limit-5').match(/category: Books/g)).toHaveLength(5);
    const above = fewProducts.filter(({ truth }) => Number(truth.price ?? 'NaN') >= 20).length;
    expect(answer('min-price-20')).toContain(`total: ${above}`);
  });
});
