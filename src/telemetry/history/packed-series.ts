// Packs the counts of a minute into a few bytes, because Redis keeps them for each gateway and minute of two days.

import { deflateRawSync, inflateRawSync } from 'node:zlib';
import type { SeriesCounts } from './metric-sample.ts';

/** If a minute has more series than this, the last ones are not kept. */
const SERIES_MAX = 2_000;
/** More than 2,000 names of 120 bytes; a longer text is damaged. */
const TEXT_MAX = 300_000;

/** Words that most texts contain, so that even short texts compress well. If it changes, the key in Redis must change, too. */
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

/** Packs the counts of a minute as compressed text, with a line for each series. */
export function packSeries(counts: SeriesCounts): Buffer {
  const lines = [...counts].slice(0, SERIES_MAX).map(([key, count]) => `${key} ${count}`);
  return deflateRawSync(lines.join('\n'), { dictionary: DICTIONARY });
}

/** Unpacks the bytes of `packSeries`; `undefined` if they are damaged or something else. */
export function unpackSeries(packed: Buffer): SeriesCounts | undefined {
  try {
    const text = inflateRawSync(packed, { dictionary: DICTIONARY, maxOutputLength: TEXT_MAX }).toString();
    const counts = new Map<string, number>();
    for (const line of text === '' ? [] : text.split('\n')) {
      const [, key, count] = /^([!-~]{1,200}) (\d{1,10})$/.exec(line) ?? [];
      if (key === undefined) return undefined;
      counts.set(key, Number(count));
    }
    return counts;
  } catch {
    return undefined;
  }
}
