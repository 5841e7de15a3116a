// Reads when a source may be asked again, from a reply with which it refuses Portico for now.

import { DateTime } from 'luxon';
import type { OutcomeSpec } from '../../../config/schema/source.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';

/** The longest wait; longer ones are cut to it. */
const SECONDS_MAX = 86_400;

/** The time by the source's clock, from its `Date` header (RFC 9110, section 6.6.1), because our clock may differ. */
function clockOf(reply: UpstreamReply): number {
  return DateTime.fromHTTP(reply.header('date') ?? '').toMillis();
}

/** Whole seconds from 1 to the longest wait; `undefined` for NaN and infinite numbers. */
function within(seconds: number): number | undefined {
  return Number.isFinite(seconds) ? Math.min(Math.max(1, Math.ceil(seconds)), SECONDS_MAX) : undefined;
}

function resetSeconds(reply: UpstreamReply, { header, unit }: NonNullable<OutcomeSpec['resetAt']>): number {
  const text = reply.header(header.toLowerCase())?.trim() ?? '';
  const value = /^\d{1,15}(\.\d{1,9})?$/.test(text) ? Number(text) : NaN;
  switch (unit) {
    case 'seconds':
      return value;
    case 'milliseconds':
      return value / 1_000;
    case 'epochSeconds':
      return value - clockOf(reply) / 1_000;
    case 'epochMilliseconds':
      return (value - clockOf(reply)) / 1_000;
  }
}

/** The seconds of a `Retry-After` header, which is a number or a date (RFC 9110, section 10.2.3). */
function headerSeconds(reply: UpstreamReply): number {
  const text = reply.header('retry-after')?.trim() ?? '';
  if (/^\d{1,15}$/.test(text)) return Number(text);
  return (DateTime.fromHTTP(text).toMillis() - clockOf(reply)) / 1_000;
}

/**
 * The whole seconds until the source will answer again, by the header of `resetAt` or by `Retry-After`; `undefined` if the reply
 * does not say.
 */
export function retryAfter(reply: UpstreamReply, resetAt: OutcomeSpec['resetAt']): number | undefined {
  const declared = resetAt === undefined ? undefined : within(resetSeconds(reply, resetAt));
  return declared ?? within(headerSeconds(reply));
}
