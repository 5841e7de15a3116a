// Says in words what a reload has changed, for `portico reload`.

import type { Report } from '../../workbench/explain/report/report.ts';
import type { ActionValue } from '../../admin/api/action-table.ts';

type ReloadOutcome = ActionValue<'config.reload'>;

const VERDICTS: Readonly<Record<ReloadOutcome['kind'], string>> = {
  applied: 'The new configuration is in force.',
  unchanged: 'The configuration of the files is in force already.',
  refused: 'The new configuration is refused; nothing has changed.',
  'dry-run': 'The new configuration is sound; nothing has changed.',
};

/** Which comparisons of moving resources begin anew, because the contract has changed. */
function resetTexts({ kind, resets }: ReloadOutcome): readonly string[] {
  if (resets.length === 0) return [];
  const verb = kind === 'applied' ? 'begin' : 'would begin';
  return [`Because their contract changes, the comparison counts ${verb} anew: ${resets.join(', ')}.`];
}

function changeText({ path, kind, before, after }: ReloadOutcome['changes'][number]): string {
  const values =
    before === undefined || after === undefined
      ? ''
      : `: ${JSON.stringify(before)} → ${JSON.stringify(after)}`;
  return `${kind} ${path}${values}`;
}

/** Reports the result of a reload, as `portico reload` prints it. */
export function reloadReport(outcome: ReloadOutcome): Report {
  const { kind, rev, digest, changes, problems = [], processes, waitingFor } = outcome;
  const late = waitingFor === 0 ? [] : [`${waitingFor} have not said so within the time.`];
  const serving = processes.filter((one) => one.digest === digest).length;
  const inForce = `In force: revision ${rev}, digest ${digest}, in ${serving} of ${processes.length + waitingFor} processes.`;
  return {
    json: outcome,
    blocks: [
      ...problems,
      ...changes.map(changeText),
      ...resetTexts(outcome),
      ...[VERDICTS[kind], inForce],
      ...late,
    ],
  };
}
