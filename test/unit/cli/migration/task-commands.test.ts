import { ExitError, exitCodes, type CliContext } from '../../../../src/cli/context/context.ts';
import type { AskOperator } from '../../../../src/cli/gateway/operator-api-client.ts';
import { endOfTask } from '../../../../src/cli/migration/task-commands.ts';

const TASK = { kind: 'walk', by: 'ana', startedAt: '2026-01-01T00:00:00.000Z', done: 3 };
const context = { err: () => undefined, stop: new AbortController().signal } as unknown as CliContext;

/** Waits for a walk whose status is what each answer says, one after the other. */
function waitFor(...answers: readonly (() => object)[]) {
  let asked = 0;
  const ask = ((name: string) => {
    if (name === 'migrations.start')
      return Promise.resolve({ task: { ...TASK, outcome: { kind: 'running' } } });
    return new Promise((resolve) => resolve(answers[(asked += 1) - 1]!()));
  }) as unknown as AskOperator;
  return endOfTask(ask, { resource: 'users', task: 'walk' }, context);
}

const done = () => ({ task: { ...TASK, outcome: { kind: 'done', at: TASK.startedAt, result: {} } } });
const refused = (exitCode: number) => () => {
  throw new ExitError(exitCode, 'the Redis of the role keys failed');
};

describe('a command that waits for a walk', () => {
  it('goes on waiting where one question is lost', async () => {
    expect(await waitFor(refused(exitCodes.unavailable), done)).toMatchObject({ outcome: { kind: 'done' } });
  });

  it('ends where the gateway refuses', async () => {
    await expect(waitFor(refused(exitCodes.failure), done)).rejects.toThrow('failed');
  });
});
