import { ConfigError } from '../../../src/config/yaml/problem.ts';
import { createCheckInThread } from '../../../src/cli/input/config-check-client.ts';
import { aloneProcess } from '../../support/command/single-process.ts';
import { readAtStart } from '../../../src/cli/input/read-at-start.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';
import { costModule, startOwnCoercions } from '../../support/gateway/own-coercions.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

const { cpuMs } = aloneProcess;
const config = copyConfig();
afterAll(() => config.remove());
const data = { configFile: config.file, variables: {} };

describe('the check of a configuration in a thread', () => {
  it('is ended once it has had its time, with the reason as a problem, and so is the next one', async () => {
    const check = createCheckInThread(data, { cpuMs, idleMs: 0, checkMs: 1 });
    for (const options of [{}, { fixtures: false }]) {
      const error: unknown = await check(options).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ConfigError);
      expect((error as ConfigError).problems).toMatchObject([
        { file: config.file, message: expect.stringMatching(/took longer than 0\.001 s, and was ended$/) },
      ]);
    }
  });

  it('gives the texts of a sound configuration, and replays recorded cases unless it is told not to', async () => {
    const check = createCheckInThread(data, { cpuMs, idleMs: 0 });
    const [withCases, without] = await Promise.all([check(), check({ fixtures: false })]);
    expect([withCases.replayed, without.replayed]).toEqual([19, 0]);
    expect(withCases.texts).toEqual(without.texts);
    expect(withCases.texts.files.gateway.file).toBe(config.file);
  });
});

describe('the first configuration of a start', () => {
  const context = { env: {}, stop: new AbortController().signal, processes: { cpuMs } };

  it('is the same from a thread, if this one is not done in its time', async () => {
    const [quick, fromThread] = [
      await readAtStart(config.file, context),
      await readAtStart(config.file, context, 1),
    ];
    expect(fromThread.texts).toEqual(quick.texts);
    expect(fromThread.compiled).toHaveLength(quick.compiled.length);
  });

  it('is refused with the problems of the files, in this thread and in the other one', async () => {
    const broken = endAfterTest(copyConfig());
    broken.edit('portico.yaml', 'notFound: 2s', 'notFound: soon');
    for (const readMs of [5_000, 1])
      await expect(readAtStart(broken.file, context, readMs)).rejects.toMatchObject({
        problems: [{ file: broken.file, path: expect.stringContaining('notFound') }],
      });
  });

  it('is read by a thread if this one was ended in a module with own coercions', async () => {
    const own = endAfterTest(await startOwnCoercions());
    const slow = 'const since = performance.now();\nwhile (performance.now() - since < 600);\n';
    own.write('coercions.js', costModule(1) + slow);
    expect((await readAtStart(own.file, context, 300)).compiled).toHaveLength(1);
  });
});
