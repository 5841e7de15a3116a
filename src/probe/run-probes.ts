import { probeBase } from './checks/base.ts';
import { credentialProbes } from './checks/credential.ts';
import { endProbes } from './checks/ends.ts';
import { CallsUsedUp, type Examination, Unreached } from './session/probe-session.ts';
import { filterProbes } from './checks/filters.ts';
import { claimed, type Finding, type Found, type Probe } from './session/finding.ts';
import { numberingProbes } from './checks/numbering.ts';
import { orderProbes, sortProbes } from './checks/orders.ts';
import { recordProbes } from './checks/records.ts';
import { replyProbes } from './checks/replies.ts';
import { sequenceProbes } from './checks/sequences.ts';
import { probeTotal } from './checks/totals.ts';
import { type Walk, walk } from './session/walk.ts';
import { type Footing, plainLister, probeContact } from './session/windows.ts';

/** What came of the examination of a resource. */
export type Examined = {
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
/** Probes in a row that got no answer: the source has gone, and the others would only wait for it. */
const SILENT_MAX = 2;

/** Takes a finding as soon as it is there. */
export type OnFinding = (finding: Finding) => void;

function listed(found: Found): readonly Finding[] {
  if (found === undefined) return [];
  return 'probe' in found ? [found] : found;
}

/** Makes the probes one after the other. @throws Unreached where the source has gone, CallsUsedUp never */
async function runProbes(probes: readonly Probe[], onFinding: OnFinding): Promise<void> {
  let silent = 0;
  for (const { name, run } of probes) {
    try {
      for (const finding of listed(await run())) onFinding(finding);
      silent = 0;
    } catch (error) {
      if (!(error instanceof Unreached) && !(error instanceof CallsUsedUp)) throw error;
      onFinding(claimed(name, '', [])('could not tell', error.message));
      if (error instanceof CallsUsedUp) continue;
      silent += 1;
      if (silent >= SILENT_MAX) throw error;
    }
  }
}

/** Reads the rows that the claims are held against. */
async function takeSample(examination: Examination, { change }: Footing) {
  const callsMax = Math.max(3, Math.floor(examination.callsLeft() * SAMPLE_SHARE));
  examination.gaps.clear();
  const sample = await walk(examination, plainLister(examination, change), { size: change.size, callsMax });
  return { sample, gaps: new Map(examination.gaps) };
}

/** All probes but the first, the cheap ones before those that read many rows. */
async function runAll(
  examination: Examination,
  footing: Footing,
  { sample, gaps }: { sample: Walk; gaps: ReadonlyMap<string, number> },
  onFinding: OnFinding,
): Promise<void> {
  const cheap = [
    ...replyProbes(examination, footing, sample, gaps),
    ...credentialProbes(examination, footing),
    ...numberingProbes(examination, footing, sample),
    ...sequenceProbes(examination, footing, sample),
    ...orderProbes(examination, footing, sample),
    ...endProbes(examination, footing, sample),
    { name: 'total', run: () => probeTotal(examination, footing, sample) },
    ...recordProbes(examination, sample),
  ];
  await runProbes(cheap, onFinding);
  const trials = Math.max(1, examination.resource.filters.length * TRIALS);
  const callsMax = Math.max(2, Math.floor((examination.callsLeft() * FILTER_SHARE) / trials));
  await runProbes(filterProbes({ examination, footing, sample, callsMax }), onFinding);
  await runProbes(sortProbes(examination, footing, sample), onFinding);
}

/** What is only in the details of rows: asking for those of a whole sample would take too many calls. */
function findUnprobed({ compiled, resource, list }: Examination): Finding | undefined {
  const { details } = compiled.adapter.list;
  if (details === undefined) return undefined;
  const fields = [...details.fields].join(', ');
  const place = ['resources', resource.name, 'list', 'hydrate'];
  const tell = claimed('details', `the details of a row have ${fields}`, place);
  return list.hydrate === 'get'
    ? tell('could not tell', 'filters and sorts on them are not probed')
    : tell('could not tell', 'they are not asked for, and filters and sorts on them are not probed');
}

/** Makes every probe that fits what the file declares of a resource. */
export async function examine(examination: Examination, onFinding: OnFinding): Promise<Examined> {
  const take: OnFinding = (finding) => {
    if (finding.verdict === 'differs') examination.doubts.add(finding.probe);
    onFinding(finding);
  };
  let sample: Walk | undefined;
  let unreached: string | undefined;
  try {
    const { findings, footing } = await probeContact(examination);
    for (const finding of findings) take(finding);
    if (footing !== undefined) {
      const based = await probeBase(examination, footing);
      if (based !== undefined) take(based.finding);
      const real = based?.footing ?? footing;
      const taken = await takeSample(examination, real);
      sample = taken.sample;
      const unprobed = findUnprobed(examination);
      if (unprobed !== undefined) take(unprobed);
      await runAll(examination, real, taken, take);
    }
  } catch (error) {
    if (error instanceof CallsUsedUp) onFinding(claimed('calls', '', [])('could not tell', error.message));
    else if (error instanceof Unreached) unreached = error.message;
    else throw error;
  }
  return { rows: sample?.records.length ?? 0, complete: sample?.complete ?? false, unreached };
}
