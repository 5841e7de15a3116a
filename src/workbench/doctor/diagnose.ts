// Compares what a source file claims with the live service, for `portico doctor`.

import { lintOutcomes } from '../../source/adapter/lint-source.ts';
import { type ClaimVerdict, concludeAt, type Finding } from '../../source/checks/evidence/finding.ts';
import { pathText, type Problem } from '../../config/yaml/problem.ts';
import type { CompiledSource } from '../../source/compile-sources.ts';
import { createProbedSource, type ProbedSource } from './probed-source.ts';
import { runClaims } from './run-claims.ts';
import type { DisplayedCall } from './session/masked-source.ts';
import { openSession } from './session/source-session.ts';

/** A finding that may be displayed, with its place in the file. */
export type DisplayedFinding = Omit<Problem, 'message'> & {
  readonly probe: string;
  readonly claim: string;
  readonly verdict: ClaimVerdict;
  readonly observed: string;
  /** Calls that show a difference; secrets are `***`. */
  readonly calls?: readonly DisplayedCall[];
};

/** The findings about one resource. */
export type ResourceDiagnosis = {
  readonly resource: string;
  readonly rows: number;
  readonly complete: boolean;
  readonly findings: readonly DisplayedFinding[];
};

/** The findings about a source. */
export type Diagnosis = {
  readonly source: string;
  readonly file: string;
  readonly baseUrl: string;
  readonly calls: number;
  readonly ms: number;
  readonly differences: number;
  /** Claims that agree so far, but nothing guarantees that they will. Claims that the file marks as observed do not count. */
  readonly bets: number;
  /** Why the probes ended early, if they did. */
  readonly unreached?: string;
  readonly resources: readonly ResourceDiagnosis[];
};

/** The bounds of a diagnosis, and what is called while the source is probed, so that findings can be printed as they come. */
export type DiagnosisOptions = {
  readonly callsMax: number;
  readonly showValues: boolean;
  readonly stop: AbortSignal;
  readonly onResource: (compiled: CompiledSource) => void;
  readonly onFinding: (finding: DisplayedFinding) => void;
};

function displayFinding(
  compiled: CompiledSource,
  { display }: ProbedSource,
  finding: Finding,
): DisplayedFinding {
  const { probe, claim, at, verdict, observed, hint, calls = [] } = finding;
  const { file, line, column } = compiled.source.yaml.problemAt(at, '');
  const displayed = calls.flatMap((request) => display(request) ?? []);
  return {
    ...{ probe, claim, file, path: pathText(at), verdict, observed },
    ...(line !== undefined && at.length > 0 && { line }),
    ...(column !== undefined && at.length > 0 && { column }),
    ...(hint !== undefined && { hint }),
    ...(displayed.length > 0 && { calls: displayed }),
  };
}

/** The finding about a resource that has no list, so that there are no rows to probe it with. */
function unlisted({ resource: { name } }: CompiledSource): Finding {
  const conclude = concludeAt('records', 'single records are as the file says', ['resources', name, 'get']);
  return conclude('could not tell', 'the contract has no list of it, so no id is known to ask for');
}

/** Probes every claim of a source's file, resource by resource. `compiled` are the resources of one source. */
export async function diagnose(
  compiled: readonly [CompiledSource, ...CompiledSource[]],
  { callsMax, showValues, stop, onResource, onFinding }: DiagnosisOptions,
): Promise<Diagnosis> {
  const { spec, yaml } = compiled[0].source;
  const session = openSession(spec, { callsMax });
  const start = performance.now();
  const resources: ResourceDiagnosis[] = [];
  let unreached: string | undefined;
  try {
    for (const [index, one] of compiled.entries()) {
      if (unreached !== undefined) break;
      // Calls that this resource does not use of its share are left for the next one.
      const share = Math.ceil((callsMax * (index + 1)) / compiled.length) - session.callsMade;
      const part = session.openPart({ callsMax: share });
      const deps = { compiled: one, session: part, showValues, stop };
      const source = createProbedSource(deps);
      const findings: DisplayedFinding[] = [];
      onResource(one);
      const report = (finding: Finding) => {
        const displayed = displayFinding(one, source, finding);
        findings.push(displayed);
        onFinding(displayed);
      };
      // These findings are about the whole file, so they are reported once, with its first resource.
      if (index === 0)
        lintOutcomes(spec, (at, message, hint = '') =>
          report({
            ...concludeAt('outcomes', 'each rule decides what it is for', at)('differs', message),
            hint,
          }),
        );
      if (!one.resource.hasList) {
        report(unlisted(one));
        resources.push({ resource: one.resource.name, rows: 0, complete: false, findings });
        continue;
      }
      const found = await runClaims({ ...deps, onFinding: report }, source);
      const { rows, complete } = found;
      resources.push({ resource: one.resource.name, rows, complete, findings });
      unreached = found.unreached;
    }
  } finally {
    session.close();
  }
  const all = resources.flatMap(({ findings }) => findings);
  return {
    ...{ source: spec.name, file: yaml.file, baseUrl: spec.net.baseUrl },
    calls: session.callsMade,
    ms: Math.round(performance.now() - start),
    differences: all.filter(({ verdict }) => verdict === 'differs').length,
    bets: all.filter(({ verdict }) => verdict === 'bet').length,
    ...(unreached !== undefined && { unreached }),
    resources,
  };
}
