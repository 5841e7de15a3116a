// Reads and writes the headers `traceparent` and `tracestate`, which carry a distributed trace (W3C Trace Context, level 2).

/** The span of a caller, as the header `traceparent` names it. */
export type TraceParent = {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits. */
  readonly spanId: string;
  readonly isSampled: boolean;
  /** Whether the flag says that the trace id is random. */
  readonly isRandom: boolean;
};

const SAMPLED = 1;
const RANDOM = 2;

// Version ff and ids of only zeros are invalid; later versions may append text that begins with a dash.
const TRACEPARENT =
  /^(?!ff)([0-9a-f]{2})-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})(-.*)?$/;

/** Reads `traceparent`. If it is absent, repeated or malformed, the result is `undefined` and a new trace begins. */
export function readTraceparent(values: readonly string[]): TraceParent | undefined {
  const [text] = values;
  if (text === undefined || values.length > 1) return undefined;
  const [, version, traceId, spanId, flagsText = '', more] = TRACEPARENT.exec(text) ?? [];
  if (traceId === undefined || spanId === undefined) return undefined;
  if (version === '00' && more !== undefined) return undefined;
  const flags = parseInt(flagsText, 16);
  return { traceId, spanId, isSampled: (flags & SAMPLED) !== 0, isRandom: (flags & RANDOM) !== 0 };
}

/** Writes a `traceparent` of version 00 for a child of the span `spanId`. */
export function traceparentOf({ traceId, isSampled, isRandom }: TraceParent, spanId: string): string {
  return `00-${traceId}-${spanId}-0${(isSampled ? SAMPLED : 0) | (isRandom ? RANDOM : 0)}`;
}

const MEMBER =
  /^[a-z0-9][a-z0-9_*/@-]{0,255}=[\x20-\x2b\x2d-\x3c\x3e-\x7e]{0,255}[\x21-\x2b\x2d-\x3c\x3e-\x7e]$/;
const MEMBERS_MAX = 32;
/** If the header is too long, members longer than this are dropped first (section 3.3.1.5). */
const LONG_MEMBER = 128;
const LENGTH_MAX = 512;
/** A longer header is not read at all. */
const READ_MAX = 8 * 1024;

/**
 * Reads `tracestate`; several header lines form one list. The result is the text to forward, of at most 512 characters. It is
 * empty if the header is absent, or if any part is malformed, because then the other parts cannot be trusted.
 */
export function readTracestate(values: readonly string[]): string {
  if (values.length === 0) return '';
  const text = values.join();
  if (text.length > READ_MAX) return '';
  const members = text
    .split(',')
    .map(trimBlanks)
    .filter((member) => member !== '');
  const keys = new Set(members.map((member) => member.slice(0, member.indexOf('='))));
  const isValid = members.length <= MEMBERS_MAX && keys.size === members.length;
  return isValid && members.every((member) => MEMBER.test(member)) ? shortened(members) : '';
}

const isBlank = (character: string | undefined) => character === ' ' || character === '\t';

/** Removes the blanks at both ends. It uses no pattern, because one for the end would scan each run of blanks many times. */
function trimBlanks(member: string): string {
  let [start, end] = [0, member.length];
  while (isBlank(member[start])) start += 1;
  while (end > start && isBlank(member[end - 1])) end -= 1;
  return member.slice(start, end);
}

function shortened(members: readonly string[]): string {
  const whole = members.join();
  if (whole.length <= LENGTH_MAX) return whole;
  const short = members.filter((member) => member.length <= LONG_MEMBER);
  while (short.join().length > LENGTH_MAX) short.pop();
  return short.join();
}
