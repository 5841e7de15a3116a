// Has doctor examine a draft of `infer`, and corrects the draft until doctor finds nothing that infer can change.

import { pathText } from '../../../config/yaml/problem.ts';
import type { CompiledSource } from '../../../source/compile-sources.ts';
import type { Finding } from '../../../source/checks/evidence/finding.ts';
import { type DraftNote, likely, sure, toEdit } from '../notes/note.ts';
import { compileChanged, type WrittenDraft } from '../write/write-and-compile.ts';
import type { Draft } from '../write/write-draft.ts';
import { correctDraft, withoutEmptySort } from './correct-draft.ts';
import { applyEdit, isSamePlace, valueAt, withNotes } from './draft-edits.ts';
import { type ClaimRun, runClaims } from '../../doctor/run-claims.ts';
import { openSession } from '../../doctor/session/source-session.ts';

/** Has doctor check every claim of a draft on the live service. Infer checks claims nowhere else. */
async function diagnoseDraft(compiled: CompiledSource, callsMax: number, stop: AbortSignal) {
  const session = openSession(compiled.source.spec, { callsMax });
  try {
    // The next diagnosis tries the change, so doctor need not try its own advice here.
    const run = await runClaims({ compiled, session, showValues: false, stop, triesAdvice: false });
    return { diagnosis: run, calls: session.callsMade };
  } finally {
    session.close();
  }
}

/** What the refinement of a draft needs. */
type RefineDeps = {
  readonly write: (draft: Draft) => WrittenDraft;
  /** How many calls all examinations together may take. */
  readonly callsMax: number;
  readonly signal: AbortSignal;
};

/** The most drafts that are examined. Each has a change that the examination before it asked for. */
const ROUNDS_MAX = 6;

/** The text of a finding for the operator, with what to do. */
function asked({ claim, observed, hint, at, verdict }: Finding): string {
  const field = at[2] === 'get' && at[3] === 'map' ? at[4] : undefined;
  const offer =
    field === undefined || !observed.includes('other values')
      ? ''
      : `; if the single view is right, leave ${String(field)} out of list.map and write hydrate: get below it`;
  const not = verdict === 'differs' ? 'it is not so that ' : '';
  return `${not}${claim}: ${observed}${hint === undefined ? '' : `; ${hint}`}${offer}`;
}

/** The places of claims about rows, orders and totals. The draft has a note there if doctor could not check the claim. */
const DECISIVE = /^resources\.\w+\.(?:list\.(?:total|order|sort|filters|items)|get)\b/;

/** The note that a finding leaves in the draft, if it leaves one. */
function noteOf(draft: Draft, finding: Finding): DraftNote | undefined {
  const { at, probe, verdict, observed, hint } = finding;
  const place = pathText(at);
  const isThere = valueAt(draft, at) !== undefined;
  // A hidden row looks like another first number, so the operator must decide.
  if (verdict === 'differs' || (probe === 'base' && hint !== undefined))
    return { at, ...toEdit(asked(finding)) };
  // The draft already says that this is a bet, and what it costs to do without it.
  if (verdict === 'bet') return undefined;
  if (!DECISIVE.test(place) || !isThere) return undefined;
  if (verdict === 'could not tell') return { at, ...likely(`doctor could not check this: ${observed}`) };
  if (verdict === 'noted') return hint === undefined ? undefined : { at, ...likely(`${observed}; ${hint}`) };
  return /\.(?:filters|sort)\.|\.(?:total|order)$/.test(place) ? { at, ...sure(observed) } : undefined;
}

/** The draft with the findings of doctor as notes at their places: what to edit, and which claims were confirmed. */
function withFindings(draft: Draft, { findings, unreached }: ClaimRun): Draft {
  const notes = findings.flatMap((finding): readonly DraftNote[] => {
    const note = noteOf(draft, finding);
    if (note === undefined) return [];
    const open = draft.notes.filter(({ level, at }) => level === 'edit' && isSamePlace(at, note.at));
    if (open.length === 0) return [note];
    // The view of one record is a placeholder, which claims nothing.
    if (finding.probe === 'get' && note.at.length === 3) return [];
    // The draft has a note at this place that says what to edit, so the finding is added to that note.
    const text = [...open, note].map((one) => one.text).join('; ');
    return note.level === 'edit' ? [{ ...note, text }] : [];
  });
  // Of several notes on one place, the most serious one stays.
  const places = Map.groupBy(notes, ({ at }) => pathText(at)).values();
  const worst = [...places].flatMap((some) => some.sort((a, b) => rank(b) - rank(a)).slice(0, 1));
  const stopped: readonly DraftNote[] =
    unreached === undefined
      ? []
      : [{ at: ['resources'], ...toEdit(`not everything was tried: ${unreached}`) }];
  return withNotes(draft, [...worst, ...stopped]);
}

const rank = ({ level }: DraftNote) => ['sure', 'likely', 'edit'].indexOf(level);

/** The draft with one change for each claim that differs; `undefined` if nothing can be changed. */
function corrected(draft: Draft, { findings }: ClaimRun): Draft | undefined {
  const done = new Set<string>();
  let current = draft;
  for (const finding of findings) {
    const place = pathText(finding.at);
    const isAgain = done.has(place);
    // Both directions of a sort are at one place. At any other place, a second finding may be a result of the first.
    if (finding.verdict !== 'differs' || (isAgain && finding.at[3] !== 'sort')) continue;
    const edit = correctDraft(current, finding);
    if (edit === undefined) continue;
    // Doctor advised to leave out each of the two directions, so the column is left out.
    const changed = isAgain ? { ...edit, changes: [{ at: finding.at, value: undefined }] } : edit;
    done.add(place);
    current = applyEdit(current, changed);
  }
  return done.size === 0 ? undefined : withoutEmptySort(current);
}

/**
 * Has doctor examine a draft and changes what differs, `ROUNDS_MAX` examinations at most. Then it writes what doctor found
 * into the draft as notes.
 */
export async function refineDraft(proposed: Draft, { write, callsMax, signal }: RefineDeps) {
  let current = { draft: proposed, compiled: write(proposed).compiled };
  let calls = 0;
  for (let round = 1; ; round += 1) {
    const examined = await diagnoseDraft(current.compiled, Math.max(1, callsMax - calls), signal);
    const { diagnosis } = examined;
    calls += examined.calls;
    const draft = round < ROUNDS_MAX ? corrected(current.draft, diagnosis) : undefined;
    const changed = draft && compileChanged(() => write(draft));
    if (draft === undefined || changed === undefined)
      return { ...current, draft: withFindings(current.draft, diagnosis), diagnosis, calls };
    current = { draft, compiled: changed };
  }
}
