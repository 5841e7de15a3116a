// The view of a migration: where a resource is between its two sources, and what the next step needs.

import type { VNode } from 'preact';
import type { MigrationList, MigrationStatus } from '../../../../api/migration-schemas.ts';
import {
  fallbackWords,
  migrationStages,
  readPosition,
  stageText,
  workText,
} from '../../show/migration-texts.ts';
import { goTo, useConsole } from '../../data/console-context.ts';
import { useLoad } from '../../data/use-load.ts';
import { element, html } from '../../parts/html.ts';
import {
  cardOf,
  choiceField,
  emptyNote,
  factList,
  problemNote,
  skeleton,
  stateMark,
  timeMark,
  viewHead,
} from '../../parts/marks.ts';
import { addressOf } from '../../show/address.ts';
import { countText, spanText } from '../../show/units.ts';
import { MigrationActions } from './actions.ts';
import { compareTable, DiffsSection, gateTable } from './comparison.ts';
import { HistorySection } from './history.ts';

type MigrationRow = MigrationList['migrations'][number];

/** The five stages as a rail, with the share of a ramp. */
function stageRail({ stage, percent, sources }: MigrationRow): VNode {
  const now = migrationStages.indexOf(stage);
  return html`<div class="rail">
    <ol aria-label="Stages">
      ${migrationStages.map(
        (name, index) =>
          html`<li
            key=${name}
            class=${index < now ? 'past' : index === now ? 'now' : ''}
            aria-current=${index === now ? 'step' : undefined}
          >
            <i aria-hidden="true"></i><span>${index === now ? stageText({ stage, percent }) : name}</span>
          </li>`,
      )}
    </ol>
    <p class="share">
      <span>${sources[0]}</span>
      <meter
        min="0"
        max="100"
        value=${stage === 'ramp' ? percent : now >= 3 ? 100 : 0}
        aria-label="Share of the callers at the new source"
      ></meter>
      <span>${sources[1]}</span>
    </p>
  </div>`;
}

function gateState({ gate, hold }: MigrationStatus): VNode {
  if (gate.next === null) return stateMark('good', 'there is no further step');
  if (hold !== null) return stateMark('warn', 'on hold');
  const next = readPosition(gate.next);
  const name = next === undefined ? gate.next : stageText({ percent: 0, ...next });
  return gate.ready ? stateMark('good', `ready for ${name}`) : stateMark('warn', `not yet ready for ${name}`);
}

function positionFacts(status: MigrationStatus, now: number): VNode {
  const { gate, hold, pending, task, lastRollback, replicas, fallback, uncompared, operations, breakerOpen } =
    status;
  const apart = Object.entries(operations).map(([name, at]) => `${name}: ${stageText(at)}`);
  const back = Object.entries(fallback)
    .filter(([, count]) => count > 0)
    .map(([cause, count]) => `${countText(count)} ${fallbackWords[cause] ?? cause}`);
  const left = uncompared.map(({ count, why }) => `${countText(count)} because ${why}`);
  return factList([
    ['Next step', gateState(status)],
    ['At the earliest', gate.earliestAt && timeMark(gate.earliestAt, now)],
    [
      'Waits for an approval',
      pending &&
        html`${pending.to.replace(':', ' ')}, asked for by ${pending.by}, until
        ${timeMark(pending.until, now)}`,
    ],
    ['Here since', html`${timeMark(status.since, now)} (${spanText(now - Date.parse(status.since))})`],
    ['Counted since', timeMark(status.evidenceSince, now)],
    ['Hold', hold && html`${hold.reason}, by ${hold.by} at ${timeMark(hold.at, now)}`],
    ['Elsewhere', apart.join(', ')],
    [
      'Processes',
      html`${replicas.atRev} of ${replicas.total} have this
      state${replicas.stale.length > 0 ? `; not yet: ${replicas.stale.join(', ')}` : ''}`,
    ],
    ['Legacy answered instead', back.join(', ') || 'never'],
    ['Not compared', left.join('; ')],
    ['Work', task && workText(task)],
    [
      'Breaker of the new source',
      breakerOpen ? stateMark('bad', 'open in this process') : stateMark('good', 'closed'),
    ],
    [
      'Last rollback',
      lastRollback &&
        html`${timeMark(lastRollback.at, now)}${` by ${lastRollback.by}, ${lastRollback.rule}: ${lastRollback.evidence}`}`,
    ],
  ]);
}

function statusSections(status: MigrationStatus, now: number, reload: () => void): VNode {
  return html`<div>
    ${cardOf(`Where ${status.resource} is`, '', html`${stageRail(status)}${positionFacts(status, now)}${status.notes.map((note) => html`<p key=${note} class="notice warn">${note}</p>`)}`)}
    ${cardOf(status.gate.next === null ? 'Gate' : `Gate to ${status.gate.next.replace(':', ' ')}${status.gate.next.includes(':') ? ' %' : ''}`, 'What the next step asks for. Of the whole fleet with Redis, else of this gateway.', gateTable(status.gate))}
    ${cardOf('Compared', 'Answers of both sources to the same questions, since the comparison counts began. “Differ at most” holds with 95 % confidence; the judge goes back where its CUSUM of failures reaches 9.2.', compareTable(status.compare))}
    ${element(DiffsSection, { status, reload })} ${element(HistorySection, { resource: status.resource })}
  </div>`;
}

/** The view of a migration: where a resource is between its two sources, and what the next step asks for. */
export function MigrationView(): VNode {
  const { address, now } = useConsole();
  const list = useLoad<MigrationList>('migrations', 10_000);
  const rows = list.value?.migrations ?? [];
  const resource = address.param === '' ? rows[0]?.resource : address.param;
  const path = resource && `migrations/${encodeURIComponent(resource)}`;
  const status = useLoad<MigrationStatus>(path, 4_000);
  const { value } = status;
  const options = rows.map((row) => [row.resource, `${row.resource}: ${stageText(row)}`] as const);
  const choose = (chosen: string) => goTo(addressOf('migration', chosen));
  const actions = html`${rows.length > 1 && choiceField('Resource', options, resource, choose)}
  ${value && element(MigrationActions, { status: value, reload: status.reload })}`;
  const title = value === undefined ? 'Migration' : `Migration of ${value.resource}`;
  const note =
    value === undefined
      ? 'A resource moves from one source to another, step by step.'
      : `${value.sources[0] ?? ''} to ${value.sources[1] ?? ''}, ${stageText(value)}. Of the whole fleet with Redis, else of this gateway. Times are UTC.`;
  return html`<div>
    ${viewHead(title, note, actions)} ${problemNote(list.problem, list.reload)}
    ${problemNote(status.problem, status.reload)}
    ${
      list.value !== undefined && resource === undefined
        ? emptyNote(
            'No resource moves. The guide to migrations, config/docs/migrate.md, says how to begin one.',
          )
        : null
    }
    ${value === undefined ? (resource && !status.problem ? skeleton(8) : null) : statusSections(value, now, status.reload)}
  </div>`;
}
