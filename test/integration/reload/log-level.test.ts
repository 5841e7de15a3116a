import { pino } from 'pino';
import { createExplainActions } from '../../../src/workbench/explain/explain-action.ts';
import { parseGateway } from '../../support/gateway/parse-gateway.ts';
import { systemClock } from '../../../src/kernel/clock.ts';
import { createPublicSide } from '../../../src/gateway/reload/public-side.ts';
import { eventually } from '../../support/time/eventually.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';

type Level = 'debug' | 'info';
const served = (level: Level) => ({
  gateway: parseGateway({
    ...{ portico: 1, resources: {}, log: { level } },
    listen: { host: '127.0.0.1', port: 0 },
  }),
  compiled: [],
});

describe('a reload that changes log.level', () => {
  it.each([
    ['debug', 'info'],
    ['info', 'debug'],
  ] as const)('from %s to %s decides what the lines of the next requests tell', async (before, after) => {
    const lines: string[] = [];
    const side = endAfterTest(
      createPublicSide(served(before), {
        ...{ log: pino({ level: before }, { write: (line) => lines.push(line) }), clock: systemClock },
        ...{ createExplainActions, version: 'test', nodeVersion: 'test' },
      }),
    );
    const port = await side.listen();
    const requests = () =>
      lines.map((line) => JSON.parse(line) as object).filter((line) => Object(line).msg === 'request');
    async function lineOf(number: number): Promise<object | undefined> {
      await (await fetch(`http://127.0.0.1:${port}/nothing/here`)).text();
      await eventually(() => requests().length === number);
      return requests().at(-1);
    }

    const hasPath = { debug: true, info: false };
    expect('path' in Object(await lineOf(1))).toBe(hasPath[before]);
    (await side.stage(served(after))).apply();
    expect('path' in Object(await lineOf(2))).toBe(hasPath[after]);
  });
});
