import type { IncidentView } from '../../../src/admin/api/incident-specs.ts';
import type { Figure } from '../../faults/harness/row.ts';
import {
  type Case,
  type Expected,
  incidentIn,
  isShown,
  judge,
  type Question,
  questions,
  strangersIn,
  type Views,
} from './questions.ts';
import { type Night, openIn } from './night.ts';

/** The questions that a webhook answers as it opens, and those of which it has the figures as it ends. */
const AT_END: ReadonlySet<Question> = new Set(['requests', 'callers', 'share']);
const COUNTED: ReadonlySet<Question> = new Set([...AT_END, 'over']);

const viewsOf = ({ early, late, over }: Night, place: 'page' | 'json', expected: Expected): Views => ({
  at: early.at,
  early: incidentIn(early, place, expected),
  late: incidentIn(late, place, expected),
  over: incidentIn(over, place, expected),
});

/** What the receiver of webhooks was told: the first message, and the last. */
function toldViews({ told }: Night): Views {
  const first = told.find(({ type }) => type === 'incident.opened');
  const opened = first?.data as Partial<IncidentView> | undefined;
  const ended = told.find(({ type }) => type === 'incident.ended')?.data as Partial<IncidentView> | undefined;
  return { at: first?.at ?? NaN, early: opened, late: ended, over: ended };
}

function judgeText(about: Case, wrong: Map<Question, string>): void {
  const { night, expected } = about;
  for (const question of questions) {
    const looked = COUNTED.has(question) ? night.late : night.early;
    const isTrue = isShown(question, looked, incidentIn(looked, 'json', expected));
    if (!isTrue && !wrong.has(question))
      wrong.set(question, `terminal: ${question}: not in the text of portico status`);
  }
}

/** What holds beside the ten questions: one incident and no other, and each event told once. */
function strayProblems({ night, expected }: Case): readonly string[] {
  const { well, early, late, over, told } = night;
  const types = told.map(({ type }) => type).filter((type) => type !== 'incident.worsened');
  const ids = new Set(told.map(({ data }) => data['id']));
  const critical = openIn(early.json).some(({ severity }) => severity === 'critical');
  return [
    ...openIn(well.page).map(({ text }) => `open before anything was injected: ${text}`),
    ...[early, late]
      .flatMap((looked) => strangersIn(looked, expected))
      .map(({ text }) => `open beside it: ${text}`),
    ...openIn(over.page).map(({ text }) => `still open: ${text}`),
    ...(types.join() === 'incident.opened,incident.ended'
      ? []
      : [`webhooks: ${told.map(({ type }) => type).join()}`]),
    ...(ids.size <= 1 ? [] : ['webhooks of several incidents']),
    ...(early.code === (critical ? 2 : 1) ? [] : [`the exit code of portico status was ${early.code}`]),
  ];
}

/**
 * Holds what page, terminal and webhook say against the truth: of each, how many of the questions are answered truly.
 * @throws Error that names each false answer
 */
export function judgeNight(about: Case): Figure {
  const { night, expected } = about;
  const page = judge('page', viewsOf(night, 'page', expected), about);
  const terminal = new Map(judge('terminal', viewsOf(night, 'json', expected), about));
  judgeText(about, terminal);
  const webhook = judge('webhook', toldViews(night), about);
  const wrong = [...[page, terminal, webhook].flatMap((one) => [...one.values()]), ...strayProblems(about)];
  const trueOf = (one: ReadonlyMap<Question, string>) =>
    `${questions.length - one.size} of ${questions.length}`;
  const figure = { page: trueOf(page), terminal: trueOf(terminal), webhook: trueOf(webhook) };
  if (wrong.length > 0) throw new Error([JSON.stringify(figure), ...wrong].join('\n    '));
  return figure;
}
