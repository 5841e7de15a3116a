// Probes every claim of a source against the live service. `doctor` prints the findings; `infer` corrects its draft by them.
//
//   const { findings, rows, complete, unreached } = await runClaims({ compiled, session, showValues: false, stop });
//
// `compiled` may come from a draft that is in no file; `session` is one of `openSession(spec, { callsMax })`, and its
// budget bounds the run. A finding has the claim in words, its place in the file (`at`, a path of keys), a verdict
// (`agrees | differs | could not tell | noted | bet`), what was observed, and often a `hint`. (`noted`: an observation that fails
// nothing; `bet`: it agrees today, but nothing guarantees it.) A hint with `changes` was tried: if these keys are set
// (`undefined` removes one, see source/checks/evidence/spec-change.ts), the claim agrees. With `triesAdvice: false` no call is
// spent on that, and the first change that a claim proposes becomes the hint untried.

import { type Claim, type Evidence } from '../../source/checks/claim.ts';
import { continuationClaims, linkHostClaim } from '../../source/checks/continuation.ts';
import { wholeListClaim } from './probes/whole-list.ts';
import { echoClaim } from '../../source/checks/echo.ts';
import { type Ask, isNumbered, listPlace } from '../../source/checks/evidence/ask.ts';
import { concludeAt, type Finding } from '../../source/checks/evidence/finding.ts';
import { filterClaims } from './probes/filter-claims.ts';
import { filtersTogetherClaims } from './probes/filters-together.ts';
import { missingFilterClaims } from './probes/missing-filter.ts';
import { openFirstWindow } from './probes/windows/first-window.ts';
import { orderClaims } from '../../source/checks/order.ts';
import { orderBetClaim } from '../../source/checks/order-bet.ts';
import { pastEndClaim } from './probes/windows/past-end.ts';
import { checkFirstNumber } from './probes/windows/first-number.ts';
import { otherSizesClaims } from './probes/windows/other-sizes.ts';
import { numberedWindowClaims } from './probes/windows/numbered-windows.ts';
import { capacityClaim } from './probes/source/capacity.ts';
import { credentialClaims } from './probes/source/credential.ts';
import { fieldClaims } from './probes/source/fields.ts';
import { replyClaims } from './probes/source/reply.ts';
import { rowDetailsClaim } from './probes/source/row-details.ts';
import { recordClaims } from './probes/source/single-record.ts';
import { sortClaims } from './probes/sort-claims.ts';
import { steadyRowsClaim } from './probes/steady-rows.ts';
import { steadyTotalClaim } from './probes/steady-total.ts';
import { totalClaim } from '../../source/checks/total.ts';
import { uniqueIdsClaim } from '../../source/checks/unique-ids.ts';
import { shortWindowsClaim } from '../../source/checks/window-size.ts';
import { createProbedSource, type ProbedSourceDeps } from './probed-source.ts';
import { type Sampled, takeSample } from './take-sample.ts';
import { SessionBudgetSpent, SourceUnreachable } from './session/source-session.ts';
import { tryAdvice, withFirstAdvice } from './try-advice.ts';

/** What `runClaims` needs. */
export type RunClaimsDeps = ProbedSourceDeps & {
  /** Called with each finding as soon as it is made. */
  readonly onFinding?: (finding: Finding) => void;
  /** Whether changes of the file are tried before they become a hint. */
  readonly triesAdvice?: boolean;
};

/** What a run of claims found. */
export type ClaimRun = {
  readonly findings: readonly Finding[];
  /** The number of rows that the claims were compared with. */
  readonly rows: number;
  /** Whether these are all rows of the source. */
  readonly complete: boolean;
  /** Why the run ended before all claims were probed, if it did: the source cannot be reached. */
  readonly unreached: string | undefined;
};

/** The share of the calls that reading the sample may take. */
const SAMPLE_SHARE = 0.3;
/** If this many claims in a row get no answer, the source is gone, so the other claims are not probed. */
const SILENT_MAX = 2;

/** The finding that details of rows are not probed, because those of a whole sample would take too many calls. */
function detailsFinding(ask: Ask): readonly Finding[] {
  const { detailFields, list } = ask;
  if (detailFields.length === 0) return [];
  const claim = `the details of a row have ${detailFields.join(', ')}`;
  const unasked = list.hydrate === 'get' ? '' : 'they are not asked for, and ';
  return [
    concludeAt(
      'details',
      claim,
      listPlace(ask, 'hydrate'),
    )('could not tell', `${unasked}filters and sorts on them are not probed`),
  ];
}

/** The claims that take few calls each, in the order of their probes. */
function cheapClaims(ask: Ask): readonly Claim[] {
  const { window } = ask.list;
  const hasNumbers = isNumbered(window);
  const isNamed = !hasNumbers && window.kind !== 'none';
  return [
    replyClaims[0],
    ...fieldClaims,
    replyClaims[1],
    ...credentialClaims(ask),
    ...numberedWindowClaims(ask),
    ...(isNamed ? continuationClaims : []),
    ...(window.kind === 'link' ? [linkHostClaim] : []),
    ...orderClaims,
    orderBetClaim,
    uniqueIdsClaim,
    ...(hasNumbers ? [shortWindowsClaim] : []),
    ...(hasNumbers && window.echo !== undefined ? [echoClaim] : []),
    ...(hasNumbers ? [pastEndClaim] : [wholeListClaim]),
    ...otherSizesClaims(ask),
    totalClaim,
    capacityClaim,
    ...recordClaims(ask),
    ...(ask.detailFields.length > 0 ? [rowDetailsClaim] : []),
    ...missingFilterClaims(ask),
  ];
}

/** The claims that read many rows. They share the calls that are left. */
function costlyClaims(ask: Ask): readonly Claim[] {
  return [
    ...filterClaims(ask),
    ...filtersTogetherClaims(ask),
    ...sortClaims(ask),
    steadyRowsClaim,
    steadyTotalClaim,
  ];
}

function reasonOf(error: SourceUnreachable | SessionBudgetSpent): string {
  return error instanceof SessionBudgetSpent ? `--calls-max ${error.max} is spent` : error.message;
}

/** Probes claims one after the other. A claim for which no calls are left is reported as such. @throws SourceUnreachable */
async function probeAll(
  sampled: Sampled,
  report: (finding: Finding) => void,
  triesAdvice: boolean,
): Promise<void> {
  const { ask } = sampled;
  const costly = costlyClaims(ask);
  const all = [...cheapClaims(ask), ...costly];
  const failed = new Set<string>();
  let silent = 0;
  for (const [index, claim] of all.entries()) {
    // The costly claims that are still to come share the calls that are left.
    const sharing = Math.min(costly.length, all.length - index);
    const callsMax = Math.max(2, Math.floor(ask.callsLeft() / Math.max(1, sharing)));
    const evidence: Evidence = { ...sampled, failed, callsMax };
    const before = ask.callsLeft();
    try {
      for await (const finding of claim.probe(evidence)) {
        if (finding.verdict === 'differs') failed.add(finding.probe);
        report(
          await tryAdvice(finding, claim.name, evidence, {
            claimsOf: (other) => [...cheapClaims(other), ...costlyClaims(other)],
            tries: triesAdvice,
          }),
        );
      }
      if (ask.callsLeft() < before) silent = 0;
    } catch (error) {
      if (!(error instanceof SourceUnreachable) && !(error instanceof SessionBudgetSpent)) throw error;
      report(concludeAt(claim.name, '', [])('could not tell', reasonOf(error)));
      if (error instanceof SessionBudgetSpent) continue;
      silent += 1;
      if (silent >= SILENT_MAX) throw error;
    }
  }
}

/** Probes every claim of a source's file, and those that it could make. See the top of this file. */
export async function runClaims(
  { onFinding, triesAdvice = true, ...deps }: RunClaimsDeps,
  source = createProbedSource(deps),
): Promise<ClaimRun> {
  const findings: Finding[] = [];
  const report = (finding: Finding) => {
    findings.push(finding);
    onFinding?.(finding);
  };
  let sampled: Sampled | undefined;
  let unreached: string | undefined;
  try {
    const { findings: firstFindings, opened } = await openFirstWindow(source.ask);
    for (const finding of firstFindings) report(withFirstAdvice(finding));
    if (opened !== undefined) {
      const { ask, first, base } = opened;
      const numbering = await checkFirstNumber(opened, base);
      if (numbering !== undefined) report(withFirstAdvice(numbering));
      // If rows or pages are counted from another number than the file says, the sample is read with the corrected number.
      const sets =
        base === undefined && numbering?.verdict === 'differs'
          ? numbering.advice?.tries?.[0]?.sets
          : undefined;
      const corrected = sets === undefined ? ask : ask.with(sets);
      const callsMax = Math.max(3, Math.floor(corrected.callsLeft() * SAMPLE_SHARE));
      sampled = await takeSample({ ask: corrected, first }, callsMax);
      for (const finding of detailsFinding(corrected)) report(finding);
      await probeAll(sampled, report, triesAdvice);
    }
  } catch (error) {
    if (deps.stop.aborted) unreached = 'stopped before its end';
    else if (error instanceof SessionBudgetSpent)
      report(concludeAt('calls', '', [])('could not tell', reasonOf(error)));
    else if (error instanceof SourceUnreachable) unreached = error.message;
    else throw error;
  }
  const { sample } = sampled ?? {};
  return { findings, rows: sample?.records.length ?? 0, complete: sample?.complete ?? false, unreached };
}
