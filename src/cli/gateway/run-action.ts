// Carries out the action of a command on keys, cache, claims or audit: at a running gateway, or without one on the Redis
// that gateways share.

import type { Command } from 'commander';
import { type Act, type ActionHandlers, createAct } from '../../admin/actions/act.ts';
import { type AuditLog, createAuditLog } from '../../store/audit/audit-log.ts';
import { createLocalAuditStore, createRedisAuditStore } from '../../store/audit/audit-store.ts';
import type { GatewayConfig } from '../../config/schema/gateway.ts';
import { systemClock } from '../../kernel/clock.ts';
import { redisProfile } from '../../store/redis/redis-profile.ts';
import type { RedisConnection } from '../../store/redis/redis.ts';
import type { RedisKeys } from '../../store/redis/redis-keys.ts';
import type { Report } from '../../workbench/explain/report/report.ts';
import type { CliContext } from '../context/context.ts';
import { addListenerOptions } from '../input/operator-listener.ts';
import { type RedisWanted, withRedis } from '../input/with-redis.ts';
import { printReport } from '../output/print-report.ts';
import { type AskOperator, askGateway, createActionAsk, type GatewayOptions } from './operator-api-client.ts';

/** What the commands on a running gateway or its Redis need of the program around them. */
export type OperatorContext = Pick<CliContext, 'out' | 'err' | 'terminals' | 'env' | 'stop'> & {
  /** Reads the configuration; rejects if it cannot be used. */
  readonly loadConfig: () => Promise<GatewayConfig>;
  /** Who runs the command, and where, for the audit. */
  readonly user: string;
  readonly instance: string;
};

/** The handlers with which a command carries out its actions on Redis itself, without a gateway. */
export type OnRedisItself = RedisWanted & {
  readonly handlers: (
    client: RedisConnection['client'],
    keys: RedisKeys,
    config: GatewayConfig,
  ) => { readonly actions: ActionHandlers; readonly close?: () => void };
};

/** Writes what a command changes to the audit of its gateways, which is kept beside their keys. */
export async function withAudit<T>(
  context: OperatorContext,
  open: { readonly client: RedisConnection['client']; readonly keys: RedisKeys } | undefined,
  work: (audit: AuditLog) => Promise<T>,
): Promise<T> {
  const warn = (fields: object) =>
    context.err(`this line could not be kept in the audit, keep it yourself: ${JSON.stringify(fields)}\n`);
  const log = { info: () => undefined, warn };
  const audit = createAuditLog({
    store: open === undefined ? createLocalAuditStore() : createRedisAuditStore(open.client, open.keys.audit),
    log,
    clock: systemClock,
    gateway: context.instance,
  });
  try {
    return await work(audit);
  } finally {
    audit.close();
  }
}

/** Whether two roles of a configuration are kept in the same Redis. */
function isSameRedis({ redis }: GatewayConfig, role: RedisWanted['role']): boolean {
  return JSON.stringify(redisProfile(redis, role)) === JSON.stringify(redisProfile(redis, 'keys'));
}

/** Does some work by asking Redis itself. What it changes is written to the audit. */
async function onRedisItself<T>(
  { handlers, ...wanted }: OnRedisItself,
  context: OperatorContext,
  work: (ask: AskOperator) => Promise<T>,
): Promise<T> {
  const config = await context.loadConfig();
  return withRedis(config, context.err, wanted, (client, keys) => {
    async function run(audit: AuditLog): Promise<T> {
      const { actions, close } = handlers(client, keys, config);
      try {
        const act: Act = createAct(actions, { audit });
        const actor = { name: `command:${context.user}`, role: 'operator' } as const;
        return await work(createActionAsk((name, input) => act(name, { ...input }, actor)));
      } finally {
        close?.();
      }
    }
    if (isSameRedis(config, wanted.role)) return withAudit(context, { client, keys }, run);
    if (redisProfile(config.redis, 'keys') === undefined) return withAudit(context, undefined, run);
    // The audit is beside the keys. If their Redis cannot be reached, the work is still done.
    return withRedis(config, context.err, { role: 'keys', isOptional: true }, (own) =>
      withAudit(context, { client: own, keys }, run),
    );
  });
}

/**
 * Reads the words of a command, and returns the work that is then done with `ask`; `undefined`: nothing is left to do. The
 * report of the work is printed; `undefined`: the work has printed all itself.
 */
export type OperatorCommand = (
  args: readonly string[],
  options: never,
) => ((ask: AskOperator) => Promise<Report | undefined>) | Promise<undefined>;

const INSTEAD_OF_REDIS =
  "ask a running gateway, by its operator's listener such as http://127.0.0.1:9090, instead of Redis";

/**
 * Has a command ask a running gateway if its options name one, and otherwise Redis itself, with the options that all such
 * commands have. The same code carries out an action here and there.
 */
export function addOperatorAction(
  command: Command,
  own: OnRedisItself,
  context: OperatorContext,
  run: OperatorCommand,
): Command {
  return addListenerOptions(command, '--gateway <url>', INSTEAD_OF_REDIS).action(async () => {
    const options = command.optsWithGlobals<GatewayOptions>();
    const work = await run(command.args, options as never);
    if (work === undefined) return;
    const { gateway, json } = options;
    const askNamed = (named: string) =>
      createActionAsk((name, input) => askGateway(name, input, { ...options, gateway: named }, context));
    const report = await (gateway === undefined
      ? onRedisItself(own, context, work)
      : work(askNamed(gateway)));
    if (report !== undefined) printReport(report, json, context, 0);
  });
}
