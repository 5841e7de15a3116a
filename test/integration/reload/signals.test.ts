import type { CliContext } from '../../../src/cli/context/context.ts';
import { readConfig } from '../../../src/cli/input/read-config.ts';
import { createReloadTriggers } from '../../../src/cli/serve/reload-triggers.ts';
import { aloneProcess } from '../../support/command/single-process.ts';

const file = 'config/portico.yaml';

describe('a gateway that is sent SIGHUP', () => {
  it('reads its files once more after the reload under way, however many signals come meanwhile', async () => {
    let hangUp = (): void => undefined;
    const context: CliContext = {
      ...{ env: {}, nodeVersion: 'test', out: () => undefined, err: () => undefined },
      openLog: () => ({ write: () => undefined }),
      processes: { ...aloneProcess, onHangUp: (listener) => void (hangUp = listener) },
      stop: new AbortController().signal,
    };
    const ends: (() => void)[] = [];
    const outcome = {
      kind: 'unchanged',
      rev: 1,
      digest: '',
      changes: [],
      resets: [],
      processes: [],
      waitingFor: 0,
    } as const;
    const reload = async () => {
      await new Promise<void>((end) => ends.push(end));
      return outcome;
    };
    const open = createReloadTriggers(file, false, context);
    open(readConfig(file, {}), { warn: () => undefined }).start(reload);
    for (let signal = 1; signal <= 50; signal += 1) hangUp();
    const turn = () => new Promise((resolve) => setImmediate(resolve));
    for (const calls of [1, 2, 2]) {
      expect(ends).toHaveLength(calls);
      ends.at(-1)?.();
      await turn();
    }
    hangUp();
    expect(ends).toHaveLength(3);
  });
});
