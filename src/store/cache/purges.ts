import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { type PurgePosition, tagList } from './cache-entry.ts';
import type { RedisKeys } from '../redis/redis-keys.ts';
import { purgeTag, readPurges } from '../redis/scripts/purge-scripts.ts';
import { tryParseJson } from '../../kernel/json/try-parse-json.ts';

/**
 * The sequence of purges, which makes cached data unusable in every process of the fleet. A purge deletes nothing: an
 * entry whose data is older than a purge of one of its tags is not served.
 */
export type Purges = {
  /** The current position; data read from now on is newer than every purge so far. */
  current(): PurgePosition;
  /** Whether one of `tags` (a text of `tagText`) was purged after `purgePosition`. */
  isPurged(purgePosition: PurgePosition, tags: string): boolean;
  /** The number of the latest purge of a tag that `isAbout` accepts. Pass the same pure function each time; it is a cache key. */
  latest(isAbout: (tag: string) => boolean): number;
  /**
   * Purges everything with a tag, in every process within half a second. The note is stored in the same step, so every
   * process that knows of the purge knows the note, too. Rejects if Redis fails.
   */
  purge(tag: string, note?: PurgeNote): Promise<void>;
  /** Purges everything in this process alone; used if a purge cannot be written to Redis. */
  forgetHere(): void;
  /** Reads the purges of other processes. Never rejects. */
  refresh(): Promise<void>;
  close(): void;
};

/** Why something was purged, for later answers that depend on it. A note replaces the earlier note of the same name. */
export type PurgeNote = { readonly name: string; readonly text: string };

/** The texts of all notes, by name. */
export type PurgeNotes = Readonly<Record<string, string>>;

/** How many answers and scan caches with a tag are in the memory of some processes. */
export type HeldCount = { readonly processes: number; readonly answers: number; readonly scanCaches: number };

/** The tag that every entry has. */
export const EVERYTHING = '*';

const REFRESH_MS = 400;
/** Above this number of tags, the oldest purges are forgotten, and all entries that are as old count as purged. */
const TAGS_MAX = 10_000;
/** Above this number, all notes are dropped; processes write the notes again that they still need. */
const NOTES_MAX = 200;
const NOTES_MS = 90 * 24 * 3_600_000;

/** The epoch, the number of the latest purge, the number below which all is forgotten, the notes; tags with their numbers. */
type PurgesReply = readonly [string, string, string, string, (readonly string[])?];

function newEpoch(): string {
  return randomBytes(9).toString('base64url');
}

/** The notes in a text of Redis; none if the text is damaged. */
function readNotes(text: string): PurgeNotes {
  const notes = tryParseJson(text);
  if (typeof notes !== 'object' || notes === null) return {};
  return Object.fromEntries(Object.entries(notes).filter(([, note]) => typeof note === 'string'));
}

/** Reads the notes of all processes on one Redis. Rejects if Redis fails. */
export async function readPurgeNotes(
  client: Pick<Redis, 'get'>,
  keys: Pick<RedisKeys, 'purges'>,
): Promise<PurgeNotes> {
  return readNotes((await client.get(keys.purges('notes'))) ?? '');
}

/** Creates the record of the purges that this process knows. */
function createLedger() {
  let [epoch, latest, floor] = ['', 0, 0];
  const numbers = new Map<string, number>();
  // Results of `latest`, because each cache miss asks several times and there may be thousands of tags.
  let latestAbout = new WeakMap<(tag: string) => boolean, number>();

  function forget(upTo: number): void {
    floor = upTo;
    for (const [tag, number] of numbers) if (number <= floor) numbers.delete(tag);
  }

  return {
    current: (): PurgePosition => ({ epoch, purges: latest }),
    isPurged(purgePosition: PurgePosition, tags: string): boolean {
      if (purgePosition.epoch !== epoch || purgePosition.purges < floor) return true;
      if (purgePosition.purges >= latest) return false;
      const since = (tag: string) => (numbers.get(tag) ?? 0) > purgePosition.purges;
      return since(EVERYTHING) || tagList(tags).some(since);
    },
    latest(isAbout: (tag: string) => boolean): number {
      const known = latestAbout.get(isAbout);
      if (known !== undefined) return known;
      let found = floor;
      for (const [tag, number] of numbers)
        if (tag === EVERYTHING || isAbout(tag)) found = Math.max(found, number);
      latestAbout.set(isAbout, found);
      return found;
    },
    add(tag: string): void {
      latestAbout = new WeakMap();
      latest += 1;
      numbers.set(tag, latest);
      // Half of the tags are forgotten at once, so that this is rare.
      if (numbers.size > TAGS_MAX) forget(latest - TAGS_MAX / 2);
    },
    /** Begins an epoch that only this process knows. */
    forgetHere(): void {
      latestAbout = new WeakMap();
      [epoch, latest, floor] = [newEpoch(), 0, 0];
      numbers.clear();
    },
    /** Applies the state of Redis. Another epoch means that Redis lost its state. */
    merge([redisEpoch, number, bottom, , tags = []]: PurgesReply): void {
      latestAbout = new WeakMap();
      if (redisEpoch !== epoch) numbers.clear();
      [epoch, latest] = [redisEpoch, Number(number)];
      if (Number(bottom) !== floor) forget(Number(bottom));
      for (let i = 0; i + 1 < tags.length; i += 2) numbers.set(tags[i] ?? '', Number(tags[i + 1]));
    },
  };
}

/** A reply of Redis with texts in place of bytes. */
function textsIn(reply: unknown): unknown {
  if (Array.isArray(reply)) return reply.map(textsIn);
  return Buffer.isBuffer(reply) ? reply.toString() : reply;
}

/** Creates the purges of a process without Redis. */
export function createLocalPurges(): Purges {
  const ledger = createLedger();
  return {
    ...ledger,
    purge(tag) {
      ledger.add(tag);
      return Promise.resolve();
    },
    refresh: () => Promise.resolve(),
    close: () => undefined,
  };
}

/**
 * Creates the purges that all processes on one Redis share; each process reads them every 400 ms. `onNotes` is called with
 * the notes at every reading, before the purges to which they belong take effect.
 */
export function createSharedPurges(
  client: Pick<Redis, 'callBuffer' | 'eval' | 'status'>,
  keys: Pick<RedisKeys, 'purges'>,
  onNotes: (notes: PurgeNotes) => void = () => undefined,
): Purges {
  const ledger = createLedger();
  const names = [keys.purges('head'), keys.purges('tags'), keys.purges('notes')];
  let notes: { readonly text: string; readonly read: PurgeNotes } = { text: '', read: {} };

  async function refresh(): Promise<void> {
    if (client.status !== 'ready') return;
    const { epoch, purges } = ledger.current();
    try {
      const reply = textsIn(await readPurges(client, names, [epoch, newEpoch(), purges])) as PurgesReply;
      if (reply[3] !== notes.text) notes = { text: reply[3], read: readNotes(reply[3]) };
      onNotes(notes.read);
      ledger.merge(reply);
    } catch {
      // If Redis is down, the next refresh finds what was purged there.
    }
  }

  const timer = setInterval(() => void refresh(), REFRESH_MS).unref();
  return {
    ...ledger,
    async purge(tag, note) {
      const noted = note === undefined ? [] : [note.name, note.text, NOTES_MAX, NOTES_MS];
      await purgeTag(client, names, [tag, newEpoch(), TAGS_MAX, ...noted]);
      await refresh();
    },
    refresh,
    close: () => clearInterval(timer),
  };
}
