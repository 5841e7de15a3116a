// Reports what doctor found, as text for a terminal.

import { problemText } from '../../../config/yaml/problem.ts';
import type { Diagnosis, DisplayedFinding } from '../../doctor/diagnose.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import type { Report, ReportBlock } from './report.ts';
import { type ClaimVerdict } from '../../../source/checks/evidence/finding.ts';
import { plural } from '../../../kernel/plural.ts';

const LABELS: Readonly<Record<ClaimVerdict, string>> = {
  agrees: 'agrees',
  differs: 'DIFFERS',
  'could not tell': 'unclear',
  noted: 'note',
  bet: 'BET',
};

/** The width of the column of probe names; a few are longer. */
const PROBE_WIDTH = 26;

/** A finding as one line; if there is something to do, with the place and a hint, and with the calls that show a difference. */
export function findingBlock(finding: DisplayedFinding): ReportBlock {
  const { verdict, probe, observed, claim, hint, calls = [] } = finding;
  const result = { mark: LABELS[verdict], width: 8, text: `${probe.padEnd(PROBE_WIDTH)} ${observed}` };
  const { hint: _hint, ...place } = finding;
  if (verdict !== 'differs' && verdict !== 'bet')
    return hint === undefined
      ? result
      : { ...result, details: [problemText({ ...place, message: `advice: ${hint}` })] };
  const details = [
    problemText({ ...place, message: `claims that ${claim}` }),
    ...calls.map(({ method, url }) => `asked: ${method} ${url}`),
    ...(hint === undefined ? [] : [`hint: ${hint}`]),
  ];
  return { ...result, details };
}

/** The heading of the findings about a resource. */
export function resourceHeading({ resource, source }: CompiledSource): string {
  return `${resource.name} of ${source.spec.name} (${source.yaml.file})`;
}

/** Reports the sum of a diagnosis, whose findings were printed as they came. */
export function diagnosisReport(diagnosis: Diagnosis): Report {
  const { resources, calls, ms, differences, bets } = diagnosis;
  const findings = resources.flatMap((resource) => resource.findings);
  const unclear = findings.filter(({ verdict }) => verdict === 'could not tell').length;
  const agreed = findings.filter(({ verdict }) => verdict === 'agrees').length;
  const read = resources
    .map(({ resource, rows, complete }) => `${complete ? 'all ' : ''}${rows} ${resource}`)
    .join(' and ');
  const cost = `${plural(calls, 'call')} in ${(ms / 1_000).toFixed(1)} s`;
  const sum = `${plural(differences, 'difference')}, ${bets > 0 ? `${plural(bets, 'bet')}, ` : ''}${agreed} agree, ${unclear} unclear; ${read} read, ${cost}`;
  return { json: diagnosis, blocks: [sum] };
}
