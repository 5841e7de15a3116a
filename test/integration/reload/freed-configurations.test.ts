import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { pino } from 'pino';
import { createExplainActions } from '../../../src/workbench/explain/explain-action.ts';
import { readConfig, readConfigTexts } from '../../../src/cli/input/read-config.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { finishSteps } from '../../../src/kernel/yield-to-loop.ts';
import type { SoundConfig } from '../../../src/gateway/reload/reload-outcome.ts';
import { changed } from '../../support/gateway/config-texts.ts';
import { eventually } from '../../support/time/eventually.ts';
import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';
import { crmList } from '../../support/upstream/scripts.ts';
import { endAfterTest, startForEach } from '../../support/jest/lifetime.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const RELOADS = 4;

/** The shipped configuration with secrets of its own for each number; users are public. */
function compileNumber(number: number, { origin }: ScriptedUpstream): SoundConfig {
  const { files, references } = readConfig('config/portico.yaml', {}).texts;
  const { file, text } = files.gateway;
  const gateway = { file, text: changed(text, '    source: crm\n', '    source: crm\n    public: true\n') };
  const secrets = {
    USERS_PASSWORD: `the-password-${number}`,
    ORDERS_TOKEN: `the-token-${number}`,
    PORTICO_KEY_PEPPER: `a-pepper-that-has-number-${number}`,
  };
  const address = { HOST: '127.0.0.1', PORT: '0', ADMIN_PORT: '0', USERS_URL: origin };
  const env = { LOG_LEVEL: 'silent', ...address, ...secrets };
  return finishSteps(readConfigTexts({ files: { ...files, gateway }, references }, env));
}

describe('a configuration that a reload replaces', () => {
  const upstream = startForEach(() => startUpstream(serving((request) => crmList(request, 'Ada'))));

  it('is freed with its secrets, the first one too, although other parts of the gateway live on', async () => {
    const weak: Record<string, WeakRef<object>> = {};
    function read(number: number): SoundConfig {
      const config = compileNumber(number, upstream);
      const crm = config.compiled.find(({ source }) => source.spec.name === 'crm')?.source.spec;
      const of = { file: config.gateway, texts: config.texts, crm: crm ?? config };
      for (const [name, part] of Object.entries(of)) weak[`${name} ${number}`] = new WeakRef(part);
      return config;
    }
    let number = 0;
    function start() {
      const first = read(number);
      const services = {
        clock: systemClock,
        createExplainActions,
        version: 'test',
        nodeVersion: 'test',
      };
      return createGateway(first, {
        ...{ ...services, log: pino({ level: 'silent' }) },
        reloading: { pid: 1, texts: first.texts, read: () => Promise.resolve(read((number += 1))) },
      });
    }
    const gateway = endAfterTest(start());
    const { port } = await gateway.listen();
    const ask = async () => {
      const { status } = await fetch(`http://127.0.0.1:${port}/v1/users?limit=3`);
      expect(status).toBe(200);
    };
    await ask();
    for (let time = 0; time < RELOADS; time += 1) {
      const outcome = await gateway.reload?.({ actor: 'signal' });
      expect(outcome?.kind).toBe('applied');
      await ask();
    }
    const kept = () => Object.keys(weak).filter((name) => weak[name]?.deref() !== undefined);
    await eventually(() => {
      collectGarbage();
      return kept().every((name) => name.endsWith(` ${RELOADS}`));
    }).catch(() => undefined);
    expect(kept()).toEqual([`file ${RELOADS}`, `texts ${RELOADS}`, `crm ${RELOADS}`]);
  });
});
