// The conditions of callers: one is refused by its rate limits, or the Redis of keys has lost their keys.

import { type Find, gaugesAbove, type GatewayCondition, label, percentText } from './condition.ts';

/** When limits began to refuse a caller; `undefined` for one of an older gateway, which does not say so. */
function refusedSince({ gauges }: Parameters<Find>[0], caller: string) {
  const found = gauges('portico_caller_refused_since_seconds').find((one) => label(one, 'caller') === caller);
  return found && { since: new Date(found.value * 1_000).toISOString() };
}

/** What is to do if a caller needs more than its limits allow, and a command: one that changes its key, or shows its requests. */
function remedyFor(caller: string) {
  const command = `portico requests --status 429 --caller ${caller}`;
  if (caller === 'anonymous')
    return { command, more: 'give them keys, or raise the tier limits.anonymousTier' };
  if (caller.startsWith('jwt:'))
    return { command, more: 'let its token name a larger tier (auth.jwt.tierClaim)' };
  const more = `give its key a larger tier; if nobody knows the key, portico keys revoke ${caller}`;
  return { command: `portico keys update ${caller} --tier <tier>`, more };
}

/** The condition that the Redis of keys has lost keys that callers still use. */
export const keysLost: GatewayCondition = {
  ...{ id: 'keys_lost', severity: 'critical', entry: 'PorticoKeysLost', lasts: '1m', view: '#/callers' },
  expr: 'max by (job) (portico_keys_lost) > $above',
  summary: 'The Redis of keys has lost its data, so keys that a gateway knew are refused.',
  text: 'The Redis of keys has lost its data: {count} {key|keys} that this gateway knew {is|are} refused as unknown.',
  find: gaugesAbove('portico_keys_lost'),
};

/** The condition that limits refuse a large share of the requests of a caller. */
export const callerRefused: GatewayCondition = {
  ...{ id: 'caller_refused', severity: 'info', entry: 'PorticoCallerRefused', lasts: '10m' },
  ...{ above: 0.2, unit: 'share', view: '#/requests?status=429&caller={caller}' },
  expr: 'max by (caller, name) (portico_caller_refused_share) > $above',
  summary: 'Limits refuse more than $above of the requests of a caller.',
  text: 'Limits refused {percent} of the requests of {who} in the last minute; others are not affected.',
  next: 'it gets answers whenever its windows have points again; it ends once limits have refused less than $above for a minute',
  todo: 'Tell who sends them to wait for Retry-After. If they need more, {more}.',
  command: '{command}',
  find: (facts, above) =>
    gaugesAbove('portico_caller_refused_share')(facts, above).map(({ caller = '', name, count }) => ({
      ...{ caller, percent: percentText(Number(count)) },
      who: name === '' ? caller : `${name} (${caller})`,
      ...{ ...refusedSince(facts, String(caller)), ...remedyFor(String(caller)) },
    })),
};
