// Runs the long tasks of operators, such as a walk, in the background, one at a time for each resource, with their progress.

import { createBackgroundTasks } from '../../kernel/background-tasks.ts';
import type { Clock } from '../../kernel/clock.ts';
import type { Run } from '../tasks/task-results.ts';

/** A long task for one migration, and its progress. Times are instants in UTC. */
export type Task = {
  readonly kind: string;
  readonly by: string;
  readonly startedAt: string;
  /** The name of the present phase, if the task has several; `done` and `of` then count within the phase. */
  readonly phase?: string | undefined;
  readonly done: number;
  /** How much there is to do; absent if it is not known. */
  readonly of?: number | undefined;
  readonly outcome:
    | { readonly kind: 'running' }
    | { readonly kind: 'done'; readonly at: string; readonly result: unknown }
    | { readonly kind: 'failed'; readonly at: string; readonly problem: string };
};

/** The long tasks of a process. */
export type Tasks = ReturnType<typeof createTasks>;

/** Creates the runner of long tasks on migrations, one at a time for each resource; none runs yet. */
export function createTasks({ now }: Pick<Clock, 'now'>) {
  const tasks = new Map<string, Task>();
  const background = createBackgroundTasks();
  const instant = () => new Date(now()).toISOString();

  function change(resource: string, changed: Partial<Task>): void {
    const task = tasks.get(resource);
    if (task !== undefined) tasks.set(resource, { ...task, ...changed });
  }

  return {
    /** Starts a task; `undefined` if another task of the resource runs. */
    start(
      resource: string,
      { kind, by }: Pick<Task, 'kind' | 'by'>,
      work: (run: Run) => Promise<unknown>,
    ): Task | undefined {
      if (tasks.get(resource)?.outcome.kind === 'running') return undefined;
      const task: Task = { kind, by, startedAt: instant(), done: 0, outcome: { kind: 'running' } };
      tasks.set(resource, task);
      background.run(async (signal) => {
        const progress: Run['progress'] = (done, of, phase) => change(resource, { done, of, phase });
        try {
          const result = await work({ signal, progress });
          change(resource, { outcome: { kind: 'done', at: instant(), result } });
        } catch (error) {
          const problem = error instanceof Error ? error.message : 'failed';
          change(resource, { outcome: { kind: 'failed', at: instant(), problem } });
        }
      });
      return task;
    },
    /** The task of a resource that runs, or that ran last. */
    of: (resource: string) => tasks.get(resource),
    /** Aborts the running tasks, and waits for their end. */
    close: () => background.close(),
  };
}
