import { pathText } from '../../config/problem.ts';
import type { Report } from '../../explain/report/report.ts';
import type { InferredSource } from '../infer-source.ts';
import type { DraftTrial } from '../try-draft.ts';

function trialText({ request, status, total, reason, unreadable, contradicted }: DraftTrial): string {
  const facts = [
    String(status),
    ...(total === undefined ? [] : [`${total} records in all`]),
    ...Object.entries(unreadable).map(([field, count]) => `${field} unreadable ${count} times`),
    ...contradicted.map((claim) => `the replies contradict ${claim}`),
    ...(reason === undefined ? [] : [reason]),
  ];
  return `${request}  ${facts.join('; ')}`;
}

/** Reports a draft: what was found, how it answers, and what is left to edit. `out` is the file that it stands in. */
export function draftReport(
  { name, dialect, calls, notes, text }: InferredSource,
  trials: readonly DraftTrial[],
  out: string | undefined,
): Report {
  const guesses = notes.map(({ at, level, text: guess }) => ({
    path: pathText(at),
    confidence: level,
    text: guess,
  }));
  const edits = guesses.filter(({ confidence }) => confidence === 'edit');
  const json = { name, dialect: dialect ?? null, calls, edits: edits.length, guesses, trials, draft: text };
  const lines = edits.map((edit) => `${edit.path}: ${edit.text}`);
  const blocks = [
    `Dialect: ${dialect ?? 'none that is known'}. Calls: ${calls}.`,
    'The draft passes portico check.',
    ...(trials.length === 0 ? [] : [{ heading: 'Answers of the draft:', blocks: trials.map(trialText) }]),
    lines.length === 0
      ? 'Nothing is left to edit that was found.'
      : { heading: `To edit (${lines.length}):`, blocks: lines },
    ...(out === undefined
      ? []
      : [`Written to ${out}. Next: portico check --source ${out}, and portico doctor --source ${out}`]),
  ];
  return { json, blocks };
}
