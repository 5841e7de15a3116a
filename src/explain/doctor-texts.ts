import { problemText } from '../config/problem.ts';
import type { Diagnosis, DisplayedFinding } from '../probe/diagnose.ts';
import { counted, type ClaimVerdict } from '../probe/resource/finding.ts';

const LABELS: Readonly<Record<ClaimVerdict, string>> = {
  agrees: 'agrees',
  differs: 'DIFFERS',
  'could not tell': 'unclear',
  noted: 'note',
};

/** As wide as the names of the probes, but for a few long ones. */
const PROBE_WIDTH = 26;

/** A finding in lines: one where all is well, and with a place and a hint where it is not. */
export function findingText(finding: DisplayedFinding): string {
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
