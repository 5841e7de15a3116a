// Evaluates the gate of a migration: whether the conditions for the next step of the resource and of each operation are met.

import { type Position, positionOf } from '../state/migration-state.ts';
import { operationConditions } from './gate-conditions.ts';
import { type CheckedCondition, type Condition, type GateFacts, lasting } from './gate-facts.ts';
import type { Preview } from '../tasks/task-results.ts';
import { nextPosition } from './next-position.ts';

/** Whether the next step forward may be taken, and which conditions are met. */
export type Gate = {
  /** The next position; `undefined` if there is none. */
  readonly next: Position | undefined;
  /** Whether all conditions are met. */
  readonly ready: boolean;
  readonly unmet: readonly Condition[];
  readonly met: readonly Condition[];
  /** When the last condition that waits for time will be met, as an instant in UTC; absent if none waits for time. */
  readonly earliestAt?: string | undefined;
  /** The callers that the share of the step reaches; absent if the step is no ramp. */
  readonly reach?: Preview | undefined;
};

/** The conditions of every step, whatever the comparison counts show. */
function ofAnyStep({ config, state, now }: GateFacts): readonly CheckedCondition[] {
  const { hold, lastRollback } = state;
  const freeze = config.freeze.find(({ from, until }) => from <= now && now < until);
  const until = new Date(freeze?.until ?? now).toISOString();
  const cooldown =
    lastRollback === null
      ? []
      : [lasting('cooldown', Date.parse(lastRollback.at), now, config.rollback.cooldown)];
  return [
    { id: 'hold', have: hold?.reason ?? 'none', need: 'none', isMet: hold === undefined },
    {
      ...{ id: 'freeze', have: 'none', need: 'none', isMet: freeze === undefined },
      ...(freeze && { have: `${freeze.why}, until ${until}`, at: until }),
    },
    ...cooldown,
  ];
}

/** The condition that a share reaches a caller. A step that reaches no caller gets no request, so it would never end. */
function ofReach({ reach }: GateFacts): readonly CheckedCondition[] {
  // If nobody has called in the last hour, the reach is not known.
  if (reach === undefined || reach.callers === 0) return [];
  const { percent, callers, reached, callsPercent, least } = reach;
  return [
    {
      id: 'reach',
      have: `${reached} of ${callers} callers, ${callsPercent} % of the calls`,
      need: `${least === null ? '' : `${least} %, or `}a caller in allow`,
      isMet: least !== null && percent >= least,
    },
  ];
}

/** The conditions for the resource before the first share of callers. `soak` is the bake time, `edges` the edge cases. */
function ofShadow({ config: { gate }, state, now }: GateFacts): readonly CheckedCondition[] {
  const { walk, edges, rehearsedAt } = state;
  const named = edges?.named.join(', ') ?? '';
  const probed = edges && `${edges.different} of ${edges.asked} differ${named === '' ? '' : `: ${named}`}`;
  const walked = walk && `${walk.differences} differences in ${walk.records} records`;
  return [
    lasting('soak', Date.parse(state.since), now, gate.soak),
    { id: 'rehearsal', have: rehearsedAt ?? 'never', need: 'once', isMet: rehearsedAt !== undefined },
    { id: 'walk', have: walked ?? 'never', need: '0 differences', isMet: walk?.differences === 0 },
    { id: 'edges', have: probed ?? 'never', need: '0 differ', isMet: edges?.different === 0 },
  ].filter(({ id }) => (id !== 'rehearsal' && id !== 'walk' && id !== 'edges') || gate[id]);
}

/** The conditions for the resource before each further share: the time in this step, and the time since the last rollback. */
function ofRamp({ config: { gate }, state, now }: GateFacts): readonly CheckedCondition[] {
  const { lastRollback } = state;
  return [
    lasting('step', Date.parse(state.since), now, gate.step),
    ...(lastRollback === null ? [] : [lasting('quiet', Date.parse(lastRollback.at), now, gate.quiet)]),
  ];
}

/** The conditions for the resource before the legacy source is given up. */
function ofLive({ config, state, now, operations }: GateFacts): readonly CheckedCondition[] {
  const rules = [...config.compare.ignore.map(({ path }) => path), ...state.rules.map(({ id }) => id)];
  const unknown = rules.filter((rule) => !state.acknowledged.includes(rule));
  const apart = operations.filter((one) => state.operations[one] !== undefined);
  const none = (list: readonly string[]) => (list.length === 0 ? 'none' : list.join(', '));
  return [
    lasting('live', Date.parse(state.since), now, config.gate.liveFor),
    { id: 'acknowledge', have: `without: ${none(unknown)}`, need: 'every rule', isMet: unknown.length === 0 },
    { id: 'operations', have: none(apart), need: 'none elsewhere', isMet: apart.length === 0 },
    {
      id: 'file',
      have: `stage: ${config.stage}`,
      need: 'stage: complete, in the file and reloaded',
      isMet: config.stage === 'complete',
    },
  ].filter(({ id }) => config.gate.file || id !== 'file');
}

function conditionsOf(facts: GateFacts): readonly CheckedCondition[] {
  const { state, operation, operations } = facts;
  const concerned =
    operation === undefined ? operations.filter((one) => state.operations[one] === undefined) : [operation];
  const ofOperations = () => concerned.flatMap((one) => operationConditions(facts, one));
  switch (positionOf(state, operation).stage) {
    case 'shadow':
      return [...ofShadow(facts), ...ofOperations()];
    case 'ramp':
      return [...ofRamp(facts), ...ofOperations()];
    case 'live':
      return [...ofLive(facts), ...ofOperations()];
    case 'legacy':
    case 'complete':
      return [];
  }
}

/** Evaluates the gate of the next step forward. */
export function gateOf(facts: GateFacts): Gate {
  const next = nextPosition(facts.config, facts.state, facts.operation);
  const { reach } = facts;
  if (next === undefined) return { next, ready: false, unmet: [], met: [], reach };
  const conditions = [...ofAnyStep(facts), ...ofReach(facts), ...conditionsOf(facts)];
  const withResult = (wanted: boolean): readonly Condition[] =>
    conditions.flatMap(({ isMet, ...condition }) => (isMet === wanted ? [condition] : []));
  const unmet = withResult(false);
  const earliestAt = unmet
    .flatMap(({ at }) => at ?? [])
    .sort()
    .at(-1);
  return { next, ready: unmet.length === 0, unmet, met: withResult(true), earliestAt, reach };
}
