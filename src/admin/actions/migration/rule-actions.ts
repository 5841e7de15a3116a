// The actions on rules, which say that some differences do not count: add, remove, acknowledge.

import { randomBytes } from 'node:crypto';
import { withoutRule, withRule } from '../../../migration/state/transitions.ts';
import { ActionRefusal } from '../../api/action.ts';
import type { ActionHandlers } from '../act.ts';
import { changeState } from './change-state.ts';
import type { FoundMigration, OperatedMigrations } from './find-migration.ts';

/** When a rule ends. @throws ActionRefusal */
function endOf(until: string, now: number): number {
  const end = Date.parse(until);
  if (Number.isFinite(end) && end > now) return end;
  const hint = 'write a day that is to come, such as 2027-01-31';
  throw new ActionRefusal('bad_input', `until: ${until} is not to come`, hint);
}

/** The names by which rules can be acknowledged: the path of a rule in the file, the id of a rule that was added since. */
function knownRules({ config, state }: FoundMigration): readonly string[] {
  return [...config.compare.ignore.map(({ path }) => path), ...state.rules.map(({ id }) => id)];
}

/** Creates the actions on rules. */
export function createRuleActions(migrations: OperatedMigrations) {
  const { clock } = migrations;
  return {
    async 'migrations.ignore'({ resource, path, hint, until, owner, reason }, { actor, note }) {
      const id = `rule-${randomBytes(3).toString('hex')}`;
      const ends = endOf(until, clock.now());
      const rule = { id, path, hint, owner: owner ?? actor.name, reason, until: ends };
      const state = await changeState(migrations, { resource }, note, (found) => withRule(found.state, rule));
      note({ target: resource, after: rule });
      return { rule: { ...rule, until: new Date(rule.until).toISOString() }, rev: state.rev };
    },
    async 'migrations.unignore'({ resource, id }, { note }) {
      const state = await changeState(migrations, { resource }, note, (found) => {
        if (found.state.rules.some((rule) => rule.id === id)) return withoutRule(found.state, id);
        const known = found.state.rules.map((rule) => rule.id).join(', ');
        throw new ActionRefusal(
          'not_found',
          `there is no rule ${id}`,
          known === '' ? 'rules of the file are changed there' : `rules: ${known}`,
        );
      });
      return { rev: state.rev };
    },
    async 'migrations.acknowledge'({ resource, rules }, { note }) {
      const state = await changeState(migrations, { resource }, note, (found) => {
        const known = knownRules(found);
        const unknown = rules.find((rule) => !known.includes(rule));
        const { acknowledged } = found.state;
        if (unknown === undefined)
          return { ...found.state, acknowledged: [...new Set([...acknowledged, ...rules])] };
        throw new ActionRefusal('not_found', `there is no rule ${unknown}`, `rules: ${known.join(', ')}`);
      });
      return { acknowledged: state.acknowledged, rev: state.rev };
    },
  } satisfies ActionHandlers;
}
