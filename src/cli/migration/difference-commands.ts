// The commands of `portico migration` on what differs between the two sources, and on the rules by which a difference does
// not count: `diffs`, `ignore`, `rules`, `acknowledge` and `explain`.

import type { ActionValue } from '../../admin/api/action-table.ts';
import { type DifferenceHint, differenceHints } from '../../migration/compare/hint.ts';
import type { ExplainedQuestion } from '../../migration/tasks/task-results.ts';
import { type CliContext, ExitError, exitCodes } from '../context/context.ts';
import type { AskOperator, GatewayOptions } from '../gateway/operator-api-client.ts';
import { taskText } from './status-report.ts';
import type { AddCommand } from './step-commands.ts';
import { endOfTask } from './task-commands.ts';

type DiffOptions = GatewayOptions & {
  readonly operation?: string;
  readonly kind?: string;
  readonly export?: boolean;
  readonly ids?: boolean;
  readonly reason?: string;
};
type RuleOptions = GatewayOptions & {
  readonly until: string;
  readonly owner?: string;
  readonly reason: string;
  readonly hint?: string;
  readonly remove?: string;
};

function groupRow(group: ActionValue<'migrations.diffs'>['differences'][number]): readonly string[] {
  const { operation, path, kind, hint = '', count, ignored, samples, lastAt } = group;
  const [trace = ''] = samples.flatMap(({ traceId }) => traceId ?? []);
  return [operation, path, kind, String(count), ignored ? 'ignored' : '', hint, lastAt, trace];
}

/** Adds the commands on differences and the rules that ignore them. */
export function addDifferenceCommands(add: AddCommand, context: CliContext): void {
  addDifferences(add, context);
  addIgnore(add);
  addRules(add);
  addExplain(add);
}

function printLines(values: readonly object[], context: CliContext): void {
  context.out(values.map((one) => `${JSON.stringify(one)}\n`).join(''));
}

/** Compares all records, and prints what differs with the ids, one JSON object a line. */
async function printIds(
  ask: AskOperator,
  resource: string,
  reason: string | undefined,
  context: CliContext,
): Promise<void> {
  const task = await endOfTask(ask, { resource, task: 'ids', reason }, context);
  context.err(`${taskText(task)}\n`);
  if (task.outcome.kind === 'failed') throw new ExitError(exitCodes.failure);
  const { differences } = await ask('migrations.ids', { resource, reason });
  printLines(differences, context);
}

function addDifferences(add: AddCommand, context: CliContext): void {
  add(
    'diffs',
    'the differences that were found, without values',
    async (ask, [resource = ''], options: DiffOptions) => {
      const { operation, kind } = options;
      if (options.ids === true) {
        await printIds(ask, resource, options.reason, context);
        return undefined;
      }
      const { differences } = await ask('migrations.diffs', { resource, operation, kind });
      if (options.export === true) {
        printLines(differences, context);
        return undefined;
      }
      const rows = differences.map(groupRow);
      const head = ['OPERATION', 'PATH', 'KIND', 'COUNT', '', 'HINT', 'LAST', 'TRACE'];
      const blocks = rows.length === 0 ? ['no difference was found'] : [{ head, table: rows }];
      return { json: { differences }, blocks };
    },
  )
    .option('--operation <name>', 'only of this operation')
    .option('--kind <kind>', 'only of this kind, such as value or missing_id')
    .option('--export', 'one JSON object a line, with the samples')
    .option(
      '--ids',
      'compare all records, and name those that differ: one JSON object a line, without values',
    )
    .option('--reason <text>', 'with --ids: why, for the audit');
}

function addIgnore(add: AddCommand): void {
  add(
    'ignore',
    'let differences of a field not count, until a day',
    async (ask, args, options: RuleOptions) => {
      const [resource = '', path = ''] = args;
      const { until, owner, reason } = options;
      // The action refuses a name that is none.
      const hint = options.hint as DifferenceHint | undefined;
      const { rule, rev } = await ask('migrations.ignore', { resource, path, hint, until, owner, reason });
      const text = `${resource}: ${[path, hint ?? []].flat().join(' ')} is ignored until ${String(rule['until'])} (${String(rule['id'])}, rev ${rev})`;
      return { json: { rule, rev }, blocks: [text] };
    },
  )
    .argument('<path>', 'such as data.name, data[].name or meta.total')
    .requiredOption('--until <day>', 'when it ends, such as 2027-01-31')
    .requiredOption('--reason <text>', 'why it does not matter')
    .option('--hint <hint>', `only such differences: ${differenceHints.join(', ')}`)
    .option('--owner <name>', 'who has decided it; default: the name of the token');
}

/** Adds the commands that show the rules in force, take one away, and accept one. */
function addRules(add: AddCommand): void {
  add(
    'rules',
    'the rules that were made while the gateway runs',
    async (ask, [resource = ''], options: RuleOptions) => {
      if (options.remove !== undefined) {
        const value = await ask('migrations.unignore', { resource, id: options.remove });
        return { json: value, blocks: [`${options.remove} is gone (rev ${value.rev})`] };
      }
      const { rules, acknowledged } = await ask('migrations.status', { resource });
      const rows = rules.map(({ id, path, hint = '', owner, reason }) => [id, path, hint, owner, reason]);
      const blocks = rows.length === 0 ? ['no rules but those of the file'] : [{ table: rows }];
      return { json: { rules, acknowledged }, blocks };
    },
  ).option('--remove <id>', 'take a rule away');

  add(
    'acknowledge',
    'accept by name what rules ignore, as complete asks',
    async (ask, [resource = '', ...rules], options: RuleOptions) => {
      const value = await ask('migrations.acknowledge', { resource, rules, reason: options.reason });
      return { json: value, blocks: [`acknowledged: ${value.acknowledged.join(', ')}`] };
    },
  )
    .argument('<rule...>', 'ids of rules; paths of those of the file')
    .option('--reason <text>', 'why, for the audit');
}

/** Reads a question as people write it: an id, or the query of a list. */
function questionOf(resource: string, text: string) {
  return text.includes('=') || text === ''
    ? { operation: `${resource}.list`, query: text }
    : { operation: `${resource}.get`, query: `id=${encodeURIComponent(text)}` };
}

/** A value as JSON; empty if there is none. */
const valueText = (value: unknown) => (value === undefined ? '' : JSON.stringify(value));

function addExplain(add: AddCommand): void {
  add(
    'explain',
    'ask both sources one question, and show their values; nothing is kept',
    async (ask, [resource = '', question = ''], { reason }: { readonly reason?: string }) => {
      const asked = { resource, ...questionOf(resource, question), reason };
      const found = await ask('migrations.explain', asked);
      const { differences = [] } = found as Partial<ExplainedQuestion>;
      const rows = differences.map(({ id = '', path, kind, legacy, new: newValue }) => [
        ...[id, path, kind, valueText(legacy), valueText(newValue)],
      ]);
      const blocks =
        rows.length === 0
          ? ['both sources say the same']
          : [{ head: ['ID', 'PATH', 'KIND', 'LEGACY', 'NEW'], table: rows }];
      return { json: found, blocks };
    },
  )
    .argument(
      '<question>',
      "a record's id such as user_42, or the query of a list such as limit=20&sort=name",
    )
    .option('--reason <text>', 'why, for the audit');
}
