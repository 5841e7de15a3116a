import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Above this number of figures, a minute is kept without its last ones. */
const FIGURES_MAX = 2_000;
/** More than 2,000 names of 120 bytes; a longer text is damaged. */
const TEXT_MAX = 300_000;

/** What most texts say, so that a short one is packed well, too. A change of it is a change of the key in Redis. */
const DICTIONARY = Buffer.from(
  [
    ...['fields', 'missing', 'unreadable', 'webhooks', 'delivered', 'dead', 'hosts', 'ejected', 'unhealthy'],
    ...['events', 'retry_sent', 'breaker_open', 'breaker_half_open', 'breaker_closed', 'paused'],
    ...['refusals|rate_limit', 'refusals|event_loop', 'refusals|in_flight', 'refusals|credential_refused'],
    ...['calls|upstream_unavailable', '|upstream_timeout', '|upstream_error', '|upstream_invalid_response'],
    ...['cache|redis|stored', 'cache|redis|miss', 'cache|local|hit', 'cache|local|miss', 'cache|local|stale'],
    ...['callLatency|passthrough.', 'latency|users.list', 'latency|products.get', 'calls|legacy|2xx|'],
    ...['requests|users.list|2xx|hit ', 'requests|users.get|2xx|miss ', 'requests|products.list|4xx|none '],
  ].join('\n'),
);

/** Packs the figures of a slot: a line for each, compressed. */
export function packFigures(figures: ReadonlyMap<string, number>): Buffer {
  const lines = [...figures].slice(0, FIGURES_MAX).map(([key, count]) => `${key} ${count}`);
  return deflateRawSync(lines.join('\n'), { dictionary: DICTIONARY });
}

/** Reads what was packed; `undefined` where the bytes are anything else. */
export function unpackFigures(packed: Buffer): ReadonlyMap<string, number> | undefined {
  try {
    const text = inflateRawSync(packed, { dictionary: DICTIONARY, maxOutputLength: TEXT_MAX }).toString();
    const figures = new Map<string, number>();
    for (const line of text === '' ? [] : text.split('\n')) {
      const [, key, count] = /^([!-~]{1,200}) (\d{1,10})$/.exec(line) ?? [];
      if (key === undefined) return undefined;
      figures.set(key, Number(count));
    }
    return figures;
  } catch {
    return undefined;
  }
}
