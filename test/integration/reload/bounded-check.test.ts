import { ConfigError } from '../../../src/config/yaml/problem.ts';
import { createCheckInThread } from '../../../src/cli/input/config-check-client.ts';
import { aloneProcess } from '../../support/command/single-process.ts';
import { copyConfig } from '../../support/gateway/config-copy.ts';

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
