import { problemText } from '../config/problem.ts';
import { counted, type Verdict } from '../probe/session/finding.ts';
import type { ShownCall } from '../probe/display-call.ts';

/** A finding as it may be shown, with its place in the file. */
export type ShownFinding = {
  readonly probe: string;
  readonly claim: string;
  readonly file: string;
  readonly line?: number;
  readonly column?: number;
  /** The keys that lead to the claim, joined by points. */
  readonly path: string;
  readonly verdict: Verdict;
  readonly observed: string;
  readonly hint?: string;
  /** Calls that show a difference; secrets are `***`. */
  readonly calls?: readonly ShownCall[];
};

/** What was found out about one resource. */
export type ShownResource = {
  readonly resource: string;
  readonly rows: number;
  readonly complete: boolean;
  readonly findings: readonly ShownFinding[];
};

/** What was found out about a source. */
export type Diagnosis = {
  readonly source: string;
  readonly file: string;
  readonly baseUrl: string;
  readonly calls: number;
  readonly ms: number;
  readonly differences: number;
  /** Why the source could not be examined to the end. */
  readonly unreached?: string;
  readonly resources: readonly ShownResource[];
};

const LABELS: Readonly<Record<Verdict, string>> = {
  agrees: 'agrees',
  differs: 'DIFFERS',
  'could not tell': 'unclear',
  noted: 'note',
};

/** As wide as the names of the probes, but for a few long ones. */
const PROBE_WIDTH = 26;

/** A finding in lines: one where all is well, and with a place and a hint where it is not. */
export function findingText(finding: ShownFinding): string {
  const { verdict, probe, observed, claim, hint, calls = [] } = finding;
  const line = `  ${LABELS[verdict].padEnd(8)} ${probe.padEnd(PROBE_WIDTH)} ${observed}\n`;
  if (verdict === 'noted') return hint === undefined ? line : `${line}           advice: ${hint}\n`;
  if (verdict !== 'differs') return line;
  const { hint: _hint, ...place } = finding;
  const told = problemText({ ...place, message: `claims that ${claim}` });
  return [
    line,
    `           ${told}\n`,
    ...calls.map(({ method, url }) => `           asked: ${method} ${url}\n`),
    ...(hint === undefined ? [] : [`           hint: ${hint}\n`]),
  ].join('');
}

/** The line above the findings of a resource. */
export function resourceText(resource: string, { source, file }: { source: string; file: string }): string {
  return `${resource} of ${source} (${file})\n`;
}

/** The line behind everything. */
export function summaryText({ resources, calls, ms, differences }: Diagnosis): string {
  const findings = resources.flatMap((resource) => resource.findings);
  const unclear = findings.filter(({ verdict }) => verdict === 'could not tell').length;
  const agreed = findings.filter(({ verdict }) => verdict === 'agrees').length;
  const read = resources
    .map(({ resource, rows, complete }) => `${complete ? 'all ' : ''}${rows} ${resource}`)
    .join(' and ');
  const cost = `${counted(calls, 'call')} in ${(ms / 1_000).toFixed(1)} s`;
  return `${counted(differences, 'difference')}, ${agreed} agree, ${unclear} unclear; ${read} read, ${cost}\n`;
}
