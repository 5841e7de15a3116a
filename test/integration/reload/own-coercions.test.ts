import { createPortico, PorticoError } from '../../../src/library.ts';
import { parse } from 'yaml';
import { readFileSync } from 'node:fs';
import { runCommand } from '../../support/command/run-command.ts';
import { serveHost } from '../../support/gateway/hosted.ts';
import { costModule, startOwnCoercions } from '../../support/gateway/own-coercions.ts';
import { startForEach, endAfterTest } from '../../support/jest/lifetime.ts';

const own = startForEach(() => startOwnCoercions());

/** A gateway in this process, and how it answers: the prices of products, by their ids. */
async function open(config: Parameters<typeof createPortico>[0]['config'] = own.file) {
  const portico = endAfterTest(await createPortico({ config, env: {} }));
  const base = await serveHost(portico.handler);
  async function prices(query = ''): Promise<string> {
    const answer = await fetch(`${base}/v1/products${query}`);
    const { data } = JSON.parse((await answer.text()).replaceAll(/"price":([\d.]+)/g, '"price":"$1"')) as {
      data: { id: string; price: string | null } | { id: string; price: string | null }[];
    };
    return [data]
      .flat()
      .map(({ id, price }) => `${id}: ${String(price)}`)
      .join(', ');
  }
  return { portico, prices };
}

describe('a source with a function of its operator', () => {
  it('answers pages, single records, filters and sorts by what it returns; a row that it fails at has null', async () => {
    const { prices, portico } = await open();
    expect(await prices()).toBe('prod_1: 12, prod_2: null, prod_3: 2.5');
    expect(await prices('/prod_3')).toBe('prod_3: 2.5');
    expect(await prices('?sort=-price')).toBe('prod_1: 12, prod_3: 2.5, prod_2: null');
    expect(await prices('?min_price=3')).toBe('prod_1: 12');
    expect(await prices('?max_price=3')).toBe('prod_3: 2.5');
    const metrics = await portico.metrics().metrics();
    expect(metrics).toMatch(
      /portico_unreadable_fields_total\{[^}]*field="products\.price",reason="unreadable"[^}]*\} [1-9]/,
    );
    expect(metrics).not.toContain('gift');
  });

  it('serves none of the answers of an older module after a reload', async () => {
    const { prices, portico } = await open();
    expect(await prices('/prod_1')).toBe('prod_1: 12');
    own.write('coercions.js', costModule(2));
    expect(await prices('/prod_1')).toBe('prod_1: 12');
    expect(await portico.reload()).toMatchObject({ kind: 'applied' });
    expect(await prices('/prod_1')).toBe('prod_1: 24');
    own.write('coercions.js', costModule(1));
    expect(await portico.reload()).toMatchObject({ kind: 'applied' });
    expect(await prices('/prod_1')).toBe('prod_1: 12');
  });

  it('keeps the module in force if the next one is broken, and says where it is', async () => {
    const { prices, portico } = await open();
    own.write('coercions.js', '\nexport const price = ;\n');
    const { kind, problems } = await portico.reload();
    expect(kind).toBe('refused');
    expect(problems?.join('\n')).toMatch(/coercions\.js:2:1: the module cannot be loaded: Unexpected token/);
    expect(await prices()).toBe('prod_1: 12, prod_2: null, prod_3: 2.5');
  });

  it('takes a module by its absolute path if the configuration is an object, and refuses a relative one', async () => {
    const read = (file: string) => parse(readFileSync(file, 'utf8')) as object;
    const given = (coercions: string) => ({
      gateway: { ...read(own.file), coercions },
      contract: read(own.contract),
      sources: { shop: read(own.source) },
    });
    const { prices } = await open(given(own.module));
    expect(await prices('/prod_1')).toBe('prod_1: 12');
    const refused = createPortico({ config: given('./coercions.js'), env: {} });
    await expect(refused).rejects.toThrow(PorticoError);
    await expect(refused).rejects.toThrow(
      /coercions: the file \.\/coercions\.js cannot be read\n.*an absolute one/,
    );
  });
});

describe('a command', () => {
  it('check finds what is wrong with a module, in a configuration and for one source file', async () => {
    expect(await runCommand(['--config', own.file, 'check'])).toMatchObject({ code: 0 });
    expect(await runCommand(['check', '--source', own.source])).toMatchObject({ code: 0 });
    own.write('coercions.js', 'export const prize = String;');
    for (const args of [
      ['--config', own.file, 'check'],
      ['check', '--source', own.source],
    ]) {
      const { code, err } = await runCommand(args);
      expect(code).toBe(78);
      expect(err).toMatch(
        /shop\.yaml:15:\d+: .*: coercions\.js exports no function "price"\n.*did you mean "prize"/,
      );
    }
  });

  it('explain shows the step, and doctor asks the source with it', async () => {
    const explained = await runCommand([
      '--config',
      own.file,
      'explain',
      '--live',
      '--values',
      '/v1/products',
    ]);
    expect(explained.err).toBe('');
    expect(explained.out).toMatch(/price .*call "price@[\w-]+"/);
    const { out } = await runCommand(['doctor', '--source', own.source, '--calls-max', '20']);
    expect(out).toMatch(/price/);
  });
});
