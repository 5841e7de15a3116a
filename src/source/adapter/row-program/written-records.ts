// Records as the bytes of an answer, for pages that are copied from replies (byte-sink.ts): writes, joins and slices them
// without reading them again.

import { compareIds } from '../../../contract/order.ts';
import type { Resource } from '../../../contract/resource.ts';
import { type CanonicalRecord, writerOf } from '../../../contract/response-body.ts';
import type { WrittenRecords } from '../map/reply-observer.ts';

const COMMA = Buffer.from(',');

/** The cache tag of a record, by which answers are purged: `users:42` for the id `user_42`. */
export function cacheTagOf({ name, idStart }: Resource, id: string): string {
  return `${name}:${id.slice(idStart.length)}`;
}

/** Whether the id in `tag` comes before the id in `other` in the contract's order. Both are cache tags of one resource. */
function isBefore(tag: string, other: string): boolean {
  return compareIds(tag, other, tag.indexOf(':') + 1) < 0;
}

/** Writes records as bytes. @throws GatewayError if a record breaks the contract */
export function writeRecords(resource: Resource, records: readonly CanonicalRecord[]): WrittenRecords {
  const { itemFields, idStart } = resource;
  const write = writerOf(itemFields);
  const bytes: Buffer[] = [];
  const ends: number[] = [];
  for (const record of records) {
    if (bytes.length > 0) bytes.push(COMMA);
    const json = Buffer.from(write(record));
    bytes.push(json);
    ends.push((ends.at(-1) ?? -1) + 1 + json.length);
  }
  return {
    length: records.length,
    bytes: Buffer.concat(bytes),
    ends,
    tags: records.map(({ id }) => cacheTagOf(resource, id)).join(' '),
    isAscending: records.every(
      (one, index) => index === 0 || compareIds((records[index - 1] ?? one).id, one.id, idStart.length) < 0,
    ),
  };
}

/** Concatenates the records of several replies, in the order of the list. */
export function joinWritten(all: readonly WrittenRecords[]): WrittenRecords {
  const parts = all.filter(({ length }) => length > 0);
  const [first] = parts;
  if (first !== undefined && parts.length === 1) return first;
  const ends: number[] = [];
  for (const part of parts) {
    const before = ends.length === 0 ? 0 : (ends.at(-1) ?? 0) + 1;
    for (const end of part.ends) ends.push(before + end);
  }
  const isAscending = parts.every(({ isAscending: isOrdered, tags }, index) => {
    const last = parts[index - 1]?.tags.split(' ').at(-1);
    return isOrdered && (last === undefined || isBefore(last, tags.split(' ')[0] ?? ''));
  });
  return {
    length: ends.length,
    bytes: Buffer.concat(parts.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [COMMA, bytes]))),
    ends,
    tags: parts.map(({ tags }) => tags).join(' '),
    isAscending,
  };
}

/** The records with the numbers from `start` to `end - 1`. */
export function sliceWritten(records: WrittenRecords, start: number, end: number): WrittenRecords {
  if (start <= 0 && end >= records.length) return records;
  const ends = records.ends.slice(start, end);
  const first = start === 0 ? 0 : (records.ends[start - 1] ?? 0) + 1;
  return {
    ...records,
    length: ends.length,
    bytes: records.bytes.subarray(first, ends.at(-1) ?? first),
    ends: ends.map((one) => one - first),
    tags: records.tags.split(' ').slice(start, end).join(' '),
  };
}
