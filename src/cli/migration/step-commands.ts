// The commands of `portico migration` that take a step, approve it, go back or hold, and `preview`, which says whom a step
// would reach.

import { type Command, InvalidArgumentError } from 'commander';
import type { ActionValue } from '../../admin/api/action-table.ts';
import type { MigrationStage } from '../../config/schema/migration-stages.ts';
import type { Report, ReportBlock } from '../../workbench/explain/report/report.ts';
import type { CliContext } from '../context/context.ts';
import type { AskingCommand, GatewayOptions } from '../gateway/operator-api-client.ts';
import { pendingLines, positionWords } from './status-report.ts';
import { wholeNumberOption } from '../input/whole-number-option.ts';

/** Adds a command on migrations, with the options that all of them have. */
export type AddCommand = (name: string, description: string, run: AskingCommand) => Command;

type StepOptions = GatewayOptions & {
  readonly percent?: number;
  readonly operation?: string;
  readonly force?: boolean;
  readonly rev?: number;
  readonly reason?: string;
};

const REASON = 'why, for the audit';

/** Reads an option that is any whole number. */
export const parseInteger = wholeNumberOption(0, 999_999_999);

function parsePercent(text: string): number {
  if (!/^\d{1,3}(?:\.\d{1,2})?$/.test(text))
    throw new InvalidArgumentError('Write a share such as 5 or 0.01.');
  return Number(text);
}

function changeReport(change: ActionValue<'migrations.stage'>): Report {
  const { resource, rev, replicas, ms } = change;
  const stale = replicas.stale.length === 0 ? '' : `; not yet: ${replicas.stale.join(', ')}`;
  const text = `${resource}: ${positionWords(change)} (rev ${rev}), in ${replicas.atRev} of ${replicas.total} processes after ${ms} ms${stale}`;
  if (change.pending !== undefined) {
    const { to, until } = change.pending;
    const wait = `${resource}: ${to} waits until ${until} for another operator: portico migration approve ${resource}`;
    return { json: change, blocks: [wait] };
  }
  const forced = (change.forced ?? []).map((one) => `forced over ${one}`);
  const ended =
    change.ended && `the step to ${change.ended.to} that ${change.ended.by} has asked for waits no more`;
  return {
    json: change,
    blocks: [text, ...forced, ...(ended ? [ended] : []), ...(change.reach ? reachBlocks(change.reach) : [])],
  };
}

/** The callers that a share reaches: how many, and the largest ones. */
function reachBlocks(preview: ActionValue<'migrations.preview'>): readonly ReportBlock[] {
  const { percent, callers, reached, callsPercent, least, largest } = preview;
  const rows = largest.map((one) => [
    ...[one.caller, one.label ?? '', `${one.callsPercent.toFixed(2)} %`, one.isReached ? 'new' : 'legacy'],
  ]);
  const head = `${percent} % reaches ${reached} of ${callers} callers of the last hour: ${callsPercent.toFixed(2)} % of the calls`;
  const isNobody = callers > 0 && (least === null || percent < least);
  const hint = least === null ? 'no share reaches one' : `the least share that reaches one is ${least} %`;
  return [head, ...(isNobody ? [hint] : []), ...(rows.length === 0 ? [] : [{ table: rows }])];
}

const STEPS: readonly (readonly [MigrationStage, string])[] = [
  ['shadow', 'ask the new source besides, and compare; in shadow already: begin the comparison counts anew'],
  ['ramp', 'serve a share of the callers from the new source'],
  ['live', 'serve everybody from the new source; the legacy one stands by'],
  ['complete', 'serve from the new source alone, so that the legacy one can be switched off'],
  ['legacy', 'leave the shadow: the new source is not asked any more'],
];

/** Adds the commands that move a migration. */
export function addStepCommands(add: AddCommand, context: CliContext): void {
  addStages(add);
  addApprove(add, context);
  addRollback(add);
  addHolds(add);
  addPreview(add);
}

function addStages(add: AddCommand): void {
  for (const [stage, description] of STEPS) {
    const command = add(stage, description, async (ask, [resource = ''], options: StepOptions) => {
      const { percent, operation, force, rev, reason } = options;
      const input = { resource, stage, percent, operation, force, rev, reason };
      return changeReport(await ask('migrations.stage', input));
    });
    if (stage === 'ramp')
      command.option('--percent <share>', 'the share; default: the next step', parsePercent);
    command
      .option('--operation <name>', 'only this operation, such as users.list')
      .option('--rev <n>', 'only if the state still has this rev', parseInteger)
      .option('--force', 'although the gate refuses it; needs --reason')
      .option('--reason <text>', REASON);
  }
}

/** Approves the step that is printed: if another one waits by then, the gateway refuses. */
function addApprove(add: AddCommand, context: CliContext): void {
  add(
    'approve',
    'take the step that another operator has asked for',
    async (ask, [resource = ''], options: StepOptions) => {
      const status = await ask('migrations.status', { resource });
      if (status.pending !== null) context.err(`${pendingLines(status.pending).join('\n')}\n`);
      const { rev = status.rev, reason } = options;
      return changeReport(await ask('migrations.approve', { resource, rev, reason }));
    },
  )
    .option(
      '--rev <n>',
      'only the step that waited at this rev; default: the one that waits now',
      parseInteger,
    )
    .option('--reason <text>', REASON);
}

function addRollback(add: AddCommand): void {
  add(
    'rollback',
    'go back to the legacy source at once, and hold; nothing is asked for',
    async (ask, [resource = ''], options: StepOptions & { readonly local?: boolean }) => {
      const { operation, force, reason, local } = options;
      const scope = local === true ? 'local' : 'fleet';
      const input = { resource, operation, force, reason, scope } as const;
      return changeReport(await ask('migrations.rollback', input));
    },
  )
    .option('--operation <name>', 'only this operation, such as users.list')
    .option('--local', 'in this gateway alone, where Redis is gone')
    .option(
      '--force',
      'also from complete if the legacy source answers, and within a minute of another rollback',
    )
    .option('--reason <text>', REASON);
}

function addHolds(add: AddCommand): void {
  add('hold', 'no step forward from now on', async (ask, [resource = ''], options: StepOptions) => {
    const { rev, reason = '' } = options;
    return changeReport(await ask('migrations.hold', { resource, rev, reason }));
  })
    .requiredOption('--reason <text>', REASON)
    .option('--rev <n>', 'only if the state still has this rev', parseInteger);

  add(
    'resume',
    'end a hold, also that of a rollback',
    async (ask, [resource = ''], options: StepOptions & { readonly ack: string }) => {
      const { rev, ack: reason } = options;
      return changeReport(await ask('migrations.resume', { resource, rev, reason }));
    },
  )
    .requiredOption('--ack <reason>', 'what was wrong, and why it no longer is')
    .option('--rev <n>', 'only if the state still has this rev', parseInteger);
}

function addPreview(add: AddCommand): void {
  add('preview', 'whom a share would reach', async (ask, [resource = ''], options: StepOptions) => {
    const { percent = 0 } = options;
    const preview = await ask('migrations.preview', { resource, percent });
    return { json: preview, blocks: reachBlocks(preview) };
  }).requiredOption('--percent <share>', 'the share', parsePercent);
}
