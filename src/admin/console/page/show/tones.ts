// Chooses how views mark a state (a tone is a colour with a shape), and sorts by severity.

/** The severities, the most severe first. */
const severities = ['critical', 'warning', 'info'] as const;

/** A severity of `overview`. */
export type Severity = (typeof severities)[number];

/** The look and the word of a state. */
export type Tone = 'bad' | 'warn' | 'good' | 'idle' | 'info';

/** The tone of a severity. */
export const severityTone: Readonly<Record<Severity, Tone>> = {
  critical: 'bad',
  warning: 'warn',
  info: 'info',
};

/** Sorts by severity, the most severe first. Equal ones keep their order. */
export function bySeverity<Item extends { readonly severity: Severity }>(
  items: readonly Item[],
): readonly Item[] {
  return items.toSorted((a, b) => severities.indexOf(a.severity) - severities.indexOf(b.severity));
}

/** The tone of a source's breaker. */
export function breakerTone(breaker: string | undefined): Tone {
  if (breaker === 'open') return 'bad';
  if (breaker === 'half-open') return 'warn';
  return breaker === 'closed' ? 'good' : 'idle';
}

/** The rank of a source: the larger, the more it needs attention. */
export function troubleOf(source: {
  readonly breaker?: string | undefined;
  readonly errorShare?: number | null | undefined;
  readonly waiting?: number | null | undefined;
  readonly unreadablePerSecond?: number | null | undefined;
}): number {
  const breaker = { open: 4, 'half-open': 3 }[source.breaker ?? ''] ?? 0;
  const waits = (source.waiting ?? 0) > 0 ? 0.5 : 0;
  const unreadable = (source.unreadablePerSecond ?? 0) > 0 ? 0.25 : 0;
  return breaker + (source.errorShare ?? 0) + waits + unreadable;
}

/** The tone of an answer's status. */
export function statusTone(status: number | undefined): Tone {
  if (status === undefined) return 'idle';
  if (status >= 500) return 'bad';
  if (status === 429 || status === 499) return 'warn';
  return status >= 400 ? 'info' : 'good';
}
