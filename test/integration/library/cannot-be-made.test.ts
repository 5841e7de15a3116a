import { PorticoError, createPortico } from '../../../src/library.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { hostedConfig, hostedEnv } from '../../support/gateway/hosted.ts';
import { eventually } from '../../support/time/eventually.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

/** The error of what was tried. */
const errorOf = (trying: Promise<unknown>): Promise<unknown> =>
  trying.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('a gateway that cannot be made', () => {
  const workers = { workers: 2, redis: { url: 'redis://127.0.0.1:1' } };
  it.each([
    [
      'a config of another type',
      { config: 7 },
      'createPortico: config: expected the path of the gateway file',
    ],
    ['an option of another type', { config: 'x.yaml', docs: 'yes' }, 'createPortico: docs: '],
    [
      'a logger without methods',
      { config: 'x.yaml', logger: {} },
      'createPortico: logger: expected an object with',
    ],
    ['an unknown option', { config: 'x.yaml', colour: 1 }, 'createPortico: Unrecognized key: "colour"'],
    ['a missing file', { config: '/no/portico.yaml' }, '/no/portico.yaml: cannot be read (ENOENT)'],
    [
      'workers',
      { config: hostedConfig(workers) },
      /config\.gateway:3:\d+: workers: a gateway in a host is one/,
    ],
    [
      'a wrong value',
      { config: hostedConfig({ listen: { port: -1 } }) },
      /config\.gateway:\d+:\d+: listen\.port: /,
    ],
  ])('because of %s says what is wrong, and where', async (_what, options, expected) => {
    const error = await errorOf(createPortico(options as never));
    expect(error).toBeInstanceOf(PorticoError);
    expect((error as Error).message).toMatch(expected);
  });

  it.each(['sources', 'contract.yaml'])('because %s is missing names it', async (missing) => {
    const copy = endAfterTest(copyConfig());
    copy.edit('portico.yaml', '\nredis:', '\ncontract: { file: contract.yaml }\n\nredis:');
    copy.drop(missing);
    const error = await errorOf(createPortico({ config: copy.file, env: await hostedEnv() }));
    expect(error).toBeInstanceOf(PorticoError);
    expect((error as PorticoError).problems[0]?.file).toContain(missing);
  });

  it('leaves nothing open', async () => {
    const copy = endAfterTest(copyConfig());
    const line = copy.edit('sources/crm.yaml', 'timeout: 5s', 'timeout: soon');
    const error = await errorOf(createPortico({ config: copy.file }));
    expect((error as PorticoError).problems[0]).toMatchObject({
      line,
      file: expect.stringContaining('crm.yaml'),
    });
    await eventually(() => !process.getActiveResourcesInfo().includes('Worker'));
  });
});
