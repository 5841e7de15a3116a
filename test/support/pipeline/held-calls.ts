import type { Serve } from './scripted-source.ts';

/** A source whose calls wait until they are let go. */
export function holding(serve: Serve) {
  const held: (() => void)[] = [];
  return {
    held,
    serve: ((asked) =>
      new Promise((resolve, reject) => {
        held.push(() => resolve(serve(asked)));
        asked.signal.addEventListener('abort', () => reject(asked.signal.reason as Error));
      })) satisfies Serve,
    /** Releases calls as they come, until `done` settles. */
    release: async <T>(done: Promise<T>): Promise<T> => {
      const state = { over: false };
      const end = () => (state.over = true);
      done.then(end, end);
      while (!state.over) {
        for (const go of held.splice(0)) go();
        await new Promise((resolve) => setImmediate(resolve));
      }
      return done;
    },
  };
}
