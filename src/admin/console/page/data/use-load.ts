// Loads the data of a view from the operator's API, and loads it again at an interval.

import { useCallback, useEffect, useState } from 'preact/hooks';
import { ApiProblem } from './api.ts';
import { useConsole } from './console-context.ts';

/** What was loaded: nothing yet, a value (also while it is loaded again), or a problem. */
export type Loaded<Value> = {
  readonly value: Value | undefined;
  readonly problem: ApiProblem | undefined;
  /** Loads again at once. */
  readonly reload: () => void;
};

type State<Value> = { readonly path: string | undefined } & Omit<Loaded<Value>, 'reload'>;

/** Makes an `ApiProblem` of any value that was thrown. */
export function toApiProblem(error: unknown): ApiProblem {
  return error instanceof ApiProblem ? error : new ApiProblem(0, 'failed', String(error), '');
}

/**
 * Loads a path, and again every `everyMs` milliseconds while the tab is visible. `undefined` loads nothing. A value stays
 * while its path is loaded again, even if that fails.
 */
export function useLoad<Value>(path: string | undefined, everyMs = 0): Loaded<Value> {
  const { ask } = useConsole();
  const [round, setRound] = useState(0);
  const [state, setState] = useState<State<Value>>({ path, value: undefined, problem: undefined });
  useEffect(() => {
    if (path === undefined) return undefined;
    const controller = new AbortController();
    const load = () =>
      void ask<Value>(path, { signal: controller.signal }).then(
        (value) => setState({ path, value, problem: undefined }),
        (error: unknown) => {
          if (controller.signal.aborted) return;
          setState((old) => ({
            path,
            value: old.path === path ? old.value : undefined,
            problem: toApiProblem(error),
          }));
        },
      );
    load();
    const timer = everyMs > 0 ? window.setInterval(() => !document.hidden && load(), everyMs) : undefined;
    return () => {
      controller.abort();
      window.clearInterval(timer);
    };
  }, [ask, path, everyMs, round]);
  const reload = useCallback(() => setRound((old) => old + 1), []);
  const isOfPath = state.path === path;
  return {
    value: isOfPath ? state.value : undefined,
    problem: isOfPath ? state.problem : undefined,
    reload,
  };
}
