import { pino } from 'pino';
import { createExplainActions } from '../../../src/workbench/explain/explain-action.ts';
import { parseGateway } from '../../support/gateway/parse-gateway.ts';
import { createGateway } from '../../../src/gateway/gateway.ts';
import { systemClock } from '../../../src/kernel/clock.ts';

const listen = { host: '127.0.0.1', port: 0, drain: '0s' };
const configOf = (rest: object) =>
  parseGateway({ portico: 1, listen, admin: { port: 0 }, resources: {}, ...rest });
const texts = { files: { gateway: { file: 'portico.yaml', text: '' }, sources: [] }, references: {} };

describe('a gateway that drains', () => {
  it('refuses a reload, because nothing would end what it begins', async () => {
    const next = { gateway: configOf({ overload: { inFlightMax: 7 } }), compiled: [], texts };
    const gateway = createGateway(
      { gateway: configOf({}), compiled: [] },
      {
        ...{
          log: pino({ level: 'silent' }),
          clock: systemClock,
          createExplainActions,
        },
        ...{ version: 'test', nodeVersion: 'test' },
        reloading: { pid: 1, texts, read: () => Promise.resolve(next) },
      },
    );
    await gateway.listen();
    const drained = gateway.drain();
    expect(await gateway.reload?.({ actor: 'signal' })).toMatchObject({
      ...{ kind: 'refused', rev: 1, problems: ['the gateway is draining'] },
    });
    await drained;
  });
});
