import { probeBase } from './checks/base.ts';
import { credentialProbes } from './checks/credential.ts';
import { endProbes } from './checks/ends.ts';
import type { ProbeSession } from './resource/probe-session.ts';
import { SessionBudgetSpent, SourceUnreachable } from './session/source-session.ts';
import { filterProbes } from './checks/filters.ts';
import { claimAt, type Finding, type ProbeOutcome, type Probe } from './resource/finding.ts';
import { numberingProbes } from './checks/numbering.ts';
import { orderProbes, sortProbes } from './checks/orders.ts';
import { recordProbes } from './checks/records.ts';
import { replyProbes } from './checks/replies.ts';
import { sequenceProbes } from './checks/sequences.ts';
import { probeTotal } from './checks/totals.ts';
import { type ProbeWalk, walkRows } from './resource/probe-walk.ts';
import { type Baseline, unfilteredList, probeBaseline } from './resource/baseline.ts';

/** The result of probing a resource. */
export type ProbedResource = {
  /** Rows that the claims were held against. */
  readonly rows: number;
  /** Whether these are all rows of the source. */
  readonly complete: boolean;
  /** Why it ended before all probes were made, if it did: the source cannot be reached, or not any more. */
  readonly unreached: string | undefined;
};

/** Share of the calls that reading the sample may take, and of those left then that the filters may. */
const SAMPLE_SHARE = 0.3;
const FILTER_SHARE = 0.4;
/** Values tried for a filter, about. */
const TRIALS = 5;
/** Probes in a row that got no answer: the source is gone, and the others would only wait for it. */
const SILENT_MAX = 2;

/** Called with each finding as soon as it is made. */
export type OnFinding = (finding: Finding) => void;

function listed(found: ProbeOutcome): readonly Finding[] {
  if (found === undefined) return [];
  return 'probe' in found ? [found] : found;
}

function reasonOf(error: SourceUnreachable | SessionBudgetSpent): string {
  return error instanceof SessionBudgetSpent ? `--calls-max ${error.max} is spent` : error.message;
}

/** Runs the probes one after the other; one without calls left is reported. @throws SourceUnreachable */
async function runProbes(probes: readonly Probe[], onFinding: OnFinding): Promise<void> {
  let silent = 0;
  for (const { name, run } of probes) {
    try {
      for (const finding of listed(await run())) onFinding(finding);
      silent = 0;
    } catch (error) {
      if (!(error instanceof SourceUnreachable) && !(error instanceof SessionBudgetSpent)) throw error;
      onFinding(claimAt(name, '', [])('could not tell', reasonOf(error)));
      if (error instanceof SessionBudgetSpent) continue;
      silent += 1;
      if (silent >= SILENT_MAX) throw error;
    }
  }
}

/** Reads the rows that the claims are held against. */
async function takeSample(session: ProbeSession, { change }: Baseline) {
  const callsMax = Math.max(3, Math.floor(session.callsLeft() * SAMPLE_SHARE));
  session.gaps.clear();
  const sample = await walkRows(session, unfilteredList(session, change), { size: change.size, callsMax });
  return { sample, gaps: new Map(session.gaps) };
}

/** All probes but the first, the cheap ones before those that read many rows. */
async function runAll(
  session: ProbeSession,
  baseline: Baseline,
  { sample, gaps }: { sample: ProbeWalk; gaps: ReadonlyMap<string, number> },
  onFinding: OnFinding,
): Promise<void> {
  const cheap = [
    ...replyProbes(session, baseline, sample, gaps),
    ...credentialProbes(session, baseline),
    ...numberingProbes(session, baseline, sample),
    ...sequenceProbes(session, baseline, sample),
    ...orderProbes(session, baseline, sample),
    ...endProbes(session, baseline, sample),
    { name: 'total', run: () => probeTotal(session, baseline, sample) },
    ...recordProbes(session, sample),
  ];
  await runProbes(cheap, onFinding);
  const trials = Math.max(1, session.resource.filters.length * TRIALS);
  const callsMax = Math.max(2, Math.floor((session.callsLeft() * FILTER_SHARE) / trials));
  await runProbes(filterProbes({ session, baseline, sample, callsMax }), onFinding);
  await runProbes(sortProbes(session, baseline, sample), onFinding);
}

/** The finding about details of rows: reading those of a whole sample would take too many calls. */
function findUnprobed({ compiled, resource, list }: ProbeSession): Finding | undefined {
  const { details } = compiled.adapter.list;
  if (details === undefined) return undefined;
  const fields = [...details.fields].join(', ');
  const place = ['resources', resource.name, 'list', 'hydrate'];
  const conclude = claimAt('details', `the details of a row have ${fields}`, place);
  return list.hydrate === 'get'
    ? conclude('could not tell', 'filters and sorts on them are not probed')
    : conclude('could not tell', 'they are not asked for, and filters and sorts on them are not probed');
}

/** Makes every probe that fits what the file declares of a resource. */
export async function probeResource(session: ProbeSession, onFinding: OnFinding): Promise<ProbedResource> {
  const report: OnFinding = (finding) => {
    if (finding.verdict === 'differs') session.failedClaims.add(finding.probe);
    onFinding(finding);
  };
  let sample: ProbeWalk | undefined;
  let unreached: string | undefined;
  try {
    const { findings, baseline } = await probeBaseline(session);
    for (const finding of findings) report(finding);
    if (baseline !== undefined) {
      const based = await probeBase(session, baseline);
      if (based !== undefined) report(based.finding);
      const real = based?.baseline ?? baseline;
      const sampled = await takeSample(session, real);
      sample = sampled.sample;
      const unprobed = findUnprobed(session);
      if (unprobed !== undefined) report(unprobed);
      await runAll(session, real, sampled, report);
    }
  } catch (error) {
    if (error instanceof SessionBudgetSpent)
      onFinding(claimAt('calls', '', [])('could not tell', reasonOf(error)));
    else if (error instanceof SourceUnreachable) unreached = error.message;
    else throw error;
  }
  return { rows: sample?.records.length ?? 0, complete: sample?.complete ?? false, unreached };
}
