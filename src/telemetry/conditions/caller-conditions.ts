// The conditions of callers: one is refused by its rate limits, or the Redis of keys has lost their keys.

import { type Find, gaugesAbove, type GatewayCondition, label, percentText } from './condition.ts';

/** If limits have refused nothing to a caller for this time, it is over. Other gateways say what they refused within ten seconds. */
const OVER_MS = 15_000;
/** How long it is told after that. */
const TOLD_MS = 600_000;

const iso = (seconds: number) => new Date(seconds * 1_000).toISOString();
/** The time of day. */
const timeOf = (seconds: number) => iso(seconds).slice(11, 19);

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

/** Finds the callers that limits refuse, and those that they have refused a short while ago. */
function findRefused({ gauges, now }: Parameters<Find>[0], above: number) {
  const told = gauges('portico_caller_refused_last_seconds').filter(
    ({ value }) => now - value * 1_000 <= TOLD_MS,
  );
  return told.map((gauge) => {
    const [caller, name, last] = [label(gauge, 'caller'), label(gauge, 'name'), gauge.value];
    const of = (metric: string) => gauges(metric).find((one) => label(one, 'caller') === caller)?.value ?? 0;
    const [since, limited] = [
      of('portico_caller_refused_since_seconds'),
      of('portico_caller_refused_requests'),
    ];
    const requests = of('portico_caller_sent_requests');
    const isOver = of('portico_caller_refused_share') <= above || now - last * 1_000 > OVER_MS;
    return {
      ...{ caller, who: name === '' ? caller : `${name} (${caller})`, limited, requests },
      percent: percentText(limited / Math.max(1, requests)),
      times: isOver
        ? `from ${timeOf(since)} to ${timeOf(last)} UTC`
        : `since ${timeOf(since)} UTC, as counted up to ten seconds ago`,
      next: isOver
        ? 'it has ended, and stays here for ten minutes'
        : `it gets answers whenever its windows have points again; it ends once limits have refused nothing for ${OVER_MS / 1_000} seconds, or less than ${percentText(above)} for a minute`,
      ...{ since: iso(since), ...remedyFor(caller) },
    };
  });
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
  text: '{who} asks for more than its limits allow: they refused {limited} of {requests} requests ({percent}) {times}; others are not affected.',
  next: '{next}',
  todo: 'Tell who sends them to wait for Retry-After. If they need more, {more}.',
  command: '{command}',
  find: findRefused,
};
