// Reports what `portico infer` has drafted: how the draft answers, what queries cost, and what is left to edit.

import { pathText } from '../../config/yaml/problem.ts';
import type { Report } from '../explain/report/report.ts';
import type { InferredSource } from './infer-source.ts';
import { costSummary } from '../explain/report/cost-report.ts';
import { queryCosts } from '../../pipeline/query-costs.ts';
import { plural } from '../../kernel/plural.ts';
import type { ClaimRun } from '../doctor/run-claims.ts';
import type { DraftTrial } from './verify/try-draft.ts';

function trialText({ request, status, total, reason, unreadable, contradicted }: DraftTrial): string {
  const parts = [
    String(status),
    ...(total === undefined ? [] : [`${total} records in all`]),
    ...Object.entries(unreadable).map(([field, count]) => `${field} unreadable ${count} times`),
    ...contradicted.map((claim) => `the replies contradict ${claim}`),
    ...(reason === undefined ? [] : [reason]),
  ];
  return `${request}  ${parts.join('; ')}`;
}

/** The trials in lines: those that went wrong, the first one, and how many others there were. */
function trialTexts(trials: readonly DraftTrial[]): readonly string[] {
  const isRight = ({ status, contradicted }: DraftTrial) => status === 200 && contradicted.length === 0;
  const shown = trials.filter((trial, index) => index === 0 || !isRight(trial));
  const others = trials.length - shown.length;
  const kinds = trials.filter((trial) => !shown.includes(trial)).map(({ request }) => request);
  const list = kinds.map((request) => request.replace(/^.*\?limit=10&/, '').replace(/^GET /, ''));
  return [...shown.map(trialText), ...(others === 0 ? [] : [`answered, too: ${list.join(', ')}`])];
}

/** The result of doctor for a draft: how many of its claims hold, and what differs. */
function doctorText({ findings, rows, complete }: ClaimRun): string {
  const count = (wanted: string) => findings.filter(({ verdict }) => verdict === wanted).length;
  const read = `${complete ? 'all ' : ''}${plural(rows, 'row')} read`;
  return `Doctor: ${plural(count('differs'), 'difference')}, ${count('agrees')} agree, ${count('could not tell')} unclear; ${read}.`;
}

/** Reports a draft: what was found, how it answers, and what is left to edit. */
export function draftReport(inferred: InferredSource): Report {
  const { name, dialect, calls, notes, text, trials, diagnosis, compiled } = inferred;
  const guesses = notes.map(({ at, level, text: guess }) => ({
    path: pathText(at),
    confidence: level,
    text: guess,
  }));
  const edits = guesses.filter(({ confidence }) => confidence === 'edit');
  const doctor = (diagnosis?.findings ?? []).map(({ at, verdict, observed }) => ({
    path: pathText(at),
    verdict,
    observed,
  }));
  const json = {
    name,
    dialect: dialect ?? null,
    calls,
    edits: edits.length,
    guesses,
    trials,
    doctor,
    draft: text,
  };
  const lines = edits.map((edit) => `${edit.path}: ${edit.text}`);
  const blocks = [
    `Dialect: ${dialect ?? 'none that is known'}. Calls: ${calls}.`,
    'The draft passes portico check.',
    ...(trials.length === 0 ? [] : [{ heading: 'Answers of the draft:', blocks: trialTexts(trials) }]),
    ...(diagnosis === undefined ? [] : [doctorText(diagnosis)]),
    { heading: 'What queries cost:', blocks: [costSummary(queryCosts(compiled))] },
    lines.length === 0
      ? 'Nothing to edit was found.'
      : { heading: `To edit (${lines.length}):`, blocks: lines },
  ];
  return { json, blocks };
}
