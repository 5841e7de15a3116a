/** A worker as `reconcile` sees it. A generation is the number of the configuration that it serves. */
export type Member = {
  readonly id: number;
  readonly generation: number;
  readonly phase: 'starting' | 'serving' | 'leaving';
};

/** The workers that there are, and those that there should be. */
export type WorkerSet = {
  /** In the order in which they were started. */
  readonly members: readonly Member[];
  /** How many should serve. */
  readonly wanted: number;
  /** The configuration in force. */
  readonly generation: number;
  /** A new configuration whose first worker does not serve yet. That worker does not count until it serves. */
  readonly candidate: number | undefined;
  readonly stopping: boolean;
};

/** The next actions: how many workers to start, and which to drain. */
export type WorkerActions = { readonly start: number; readonly leave: readonly number[] };

/**
 * Compares the workers that there are with those that there should be, and returns the next actions. The first workers
 * start all at once. A new configuration is rolled out one worker at a time: one starts, then an old one leaves. Except
 * for crashes, the number of serving workers never falls below the wanted one.
 */
export function reconcile({ members, wanted, generation, candidate, stopping }: WorkerSet): WorkerActions {
  const staying = members.filter((member) => member.phase !== 'leaving' && member.generation !== candidate);
  if (stopping) {
    const rest = members.filter(({ phase }) => phase !== 'leaving');
    return { start: 0, leave: rest.map(({ id }) => id) };
  }
  const current = staying.filter((member) => member.generation === generation);
  const [oldest] = staying.filter((member) => member.generation !== generation);
  if (oldest === undefined) {
    const surplus = current.slice(wanted).map(({ id }) => id);
    return { start: Math.max(0, wanted - current.length), leave: surplus };
  }
  // One change at a time: wait for a worker that starts or leaves.
  const changing = members.some(
    (member) =>
      member.phase === 'leaving' || (member.phase === 'starting' && member.generation === generation),
  );
  if (changing) return { start: 0, leave: [] };
  if (current.length >= wanted || staying.length > wanted) return { start: 0, leave: [oldest.id] };
  return { start: 1, leave: [] };
}
