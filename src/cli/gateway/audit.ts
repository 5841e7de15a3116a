// `portico audit` shows who changed what; `portico audit restore` puts saved lines back into a Redis without an audit.

import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { createAuditActions } from '../../admin/actions/audit-actions.ts';
import { readAuditLine, verifyChain } from '../../store/audit/audit-entry.ts';
import { createRedisAuditStore } from '../../store/audit/audit-store.ts';
import { auditLines, chainText } from '../../workbench/explain/report/audit-report.ts';
import { systemClock } from '../../kernel/clock.ts';
import { ExitError, exitCodes } from '../context/context.ts';
import { withRedis } from '../input/with-redis.ts';
import { printBlocks, printReport } from '../output/print-report.ts';
import { addOperatorAction, type OnRedisItself, type OperatorContext, withAudit } from './run-action.ts';
import type { AskOperator, GatewayOptions } from './operator-api-client.ts';

type AuditOptions = GatewayOptions & {
  readonly since?: string;
  readonly verify?: boolean;
};

const AUDIT_REDIS: OnRedisItself = {
  role: 'keys',
  handlers: (client, keys) => ({
    actions: createAuditActions(createRedisAuditStore(client, keys.audit), systemClock),
  }),
};

async function runAudit(
  ask: AskOperator,
  { since, verify, json }: AuditOptions,
  context: OperatorContext,
): Promise<undefined> {
  const { lines, chain } = await ask('audit', { since });
  if (verify === true) printReport({ json: { chain }, blocks: [chainText(chain)] }, json, context, 0);
  // Lines are printed exactly as they are kept, because each has the digest of the one before.
  else if (json === true) context.out(lines.map((line) => `${line}\n`).join(''));
  else printBlocks(auditLines(lines.flatMap((line) => readAuditLine(line) ?? [])), context);
  if (chain.kind !== 'broken') return;
  throw new ExitError(exitCodes.failure, verify === true ? '' : chainText(chain));
}

/** Puts lines back that `portico audit --json` wrote. */
async function runRestore(file: string, context: OperatorContext): Promise<void> {
  const lines = readFileSync(file, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const chain = verifyChain(lines);
  if (chain.kind !== 'intact')
    throw new ExitError(exitCodes.usage, `${file}: ${chainText(chain)}; nothing was restored`);
  const config = await context.loadConfig();
  const isRestored = await withRedis(config, context.err, { role: 'keys' }, async (client, keys) => {
    if (!(await createRedisAuditStore(client, keys.audit).restore(lines))) return false;
    const actor = `command:${context.user}`;
    const change = { actor, action: 'audit.restore', target: `${lines.length} lines`, outcome: 'done' };
    await withAudit(context, { client, keys }, (audit) => audit.record(change));
    return true;
  });
  if (!isRestored)
    throw new Error('Redis has an audit already, and no line is put before another; nothing was restored');
  printBlocks([`restored: ${lines.length} lines; ${chainText(chain)}`], context);
}

/** Registers `portico audit` and `portico audit restore`. The actions reject with an Error made for the operator. */
export function registerAuditCommand(program: Command, context: OperatorContext): void {
  const audit = program
    .command('audit')
    .description(
      'show who changed what: keys, purges, claims and reloads; with --json, the lines as they are kept',
    )
    .option('--since <time>', 'a span such as 24h, or an instant; default: all that is kept')
    .option('--verify', 'only say whether a line was changed, left out or put in');
  addOperatorAction(
    audit,
    AUDIT_REDIS,
    context,
    (_args, options: AuditOptions) => (ask) => runAudit(ask, options, context),
  );
  audit
    .command('restore')
    .description('put back what `portico audit --json` wrote, into a Redis without an audit')
    .argument('<file>', 'the lines')
    .action((file: string) => runRestore(file, context));
}
