/** A worker: which configuration it has, by its number, and what it does. */
export type Member = {
  readonly id: number;
  readonly generation: number;
  readonly phase: 'starting' | 'serving' | 'leaving';
};

/** All that decides what a primary does next. */
export type Crew = {
  /** In the order in which they were started. */
  readonly members: readonly Member[];
  /** How many are to serve. */
  readonly wanted: number;
  /** The number of the configuration in force. */
  readonly generation: number;
  /** The number of one that its first worker has still to prove; that worker is not counted before. */
  readonly candidate: number | undefined;
  readonly stopping: boolean;
};

/** What to do: start so many workers, and have these leave. */
export type Steps = { readonly start: number; readonly leave: readonly number[] };

const NOTHING: Steps = { start: 0, leave: [] };

/**
 * Decides what a primary does next. At the start, all workers are started at once. With a new configuration one is
 * started, serves, and one of the old ones leaves, and so on: there is never one fewer than wanted, but for those that
 * died.
 */
export function nextSteps({ members, wanted, generation, candidate, stopping }: Crew): Steps {
  const staying = members.filter((member) => member.phase !== 'leaving' && member.generation !== candidate);
  if (stopping) {
    const left = members.filter(({ phase }) => phase !== 'leaving');
    return { start: 0, leave: left.map(({ id }) => id) };
  }
  const fresh = staying.filter((member) => member.generation === generation);
  const old = staying.filter((member) => member.generation !== generation);
  if (old.length === 0) {
    const surplus = fresh.slice(wanted).map(({ id }) => id);
    return { start: Math.max(0, wanted - fresh.length), leave: surplus };
  }
  // One at a time: whoever is on the way is waited for, in and out.
  const moving = members.some(
    (member) =>
      member.phase === 'leaving' || (member.phase === 'starting' && member.generation === generation),
  );
  if (moving) return NOTHING;
  const first = old[0];
  if (first !== undefined && (fresh.length >= wanted || staying.length > wanted))
    return { start: 0, leave: [first.id] };
  return { start: 1, leave: [] };
}
