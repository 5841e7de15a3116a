import { randomBytes } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import type { CacheEntry } from '../../../../src/store/cache/cache-entry.ts';
import { createCache } from '../../../../src/store/cache/cache.ts';
import { createLocalPurges } from '../../../../src/store/cache/purges.ts';
import {
  createContentEncodings,
  type Compression,
  type ContentEncoding,
  type EncodedBody,
} from '../../../../src/store/cache/encoded-bodies.ts';
import { eventually } from '../../../support/time/eventually.ts';
import { createManualClock } from '../../../support/time/manual-clock.ts';

const LOCAL_BYTES = 64 * 1024;
const plain = { br: brotliDecompressSync, gzip: gunzipSync };

/** A body that compresses, of about so many bytes. */
const bodyOf = (bytes: number, mark = '') => `{"data":"${mark}${'Ada Lovelace, '.repeat(bytes / 14)}"}`;

function entryOf(body: string | Buffer, etag = `"${body.length}"`): CacheEntry {
  return {
    ...{ found: true, body: Buffer.from(body), etag, storedAt: clock.now(), tags: '' },
    ...{ freshSeconds: 60, freshMs: 60_000, staleMs: 0, purgePosition: { epoch: '', purges: 0 } },
  };
}

const clock = createManualClock();
const open = (localBytes = LOCAL_BYTES) =>
  createCache({
    ...{ clock, localBytes, localSeconds: 5, purges: createLocalPurges(), onEvent: () => undefined },
    attachEncodings: createContentEncodings(localBytes),
  });

/** Asks until there is a variant, as callers do. */
async function variantOf(find: () => CacheEntry | undefined, coding: ContentEncoding): Promise<EncodedBody> {
  for (;;) {
    const encodings = find()?.encodings;
    const made = encodings?.[coding];
    if (typeof made === 'object') return made;
    encodings?.make(coding);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('a variant', () => {
  it.each(['br', 'gzip'] as const)(
    'in %s is exactly the body, smaller, under a tag of its own',
    async (coding) => {
      const cache = open();
      await cache.put('k', entryOf(bodyOf(5_000), '"tag"'));
      const { body, etag } = await variantOf(() => cache.local('k'), coding);
      expect(plain[coding](body).toString()).toBe(bodyOf(5_000));
      expect(body.length).toBeLessThan(1_000);
      expect(body.buffer.byteLength).toBe(body.length);
      expect(etag).toBe(`"tag-${coding}"`);
    },
  );

  it('is compressed only on request, and only if the body is not too small or too large', async () => {
    const cache = open();
    await cache.put('k', entryOf(bodyOf(5_000)));
    expect(cache.local('k')?.encodings?.gzip).toBeUndefined();
    await cache.put('small', entryOf('x'.repeat(1_023)));
    await cache.put('large', entryOf(bodyOf(LOCAL_BYTES / 2)));
    expect([cache.local('small')?.encodings, cache.local('large')?.encodings]).toEqual([
      undefined,
      undefined,
    ]);
    expect(cache.local('large')).toBeDefined();
  });

  it('counts in what the cache may hold: bodies leave for it', async () => {
    const noise = Buffer.from(Array.from({ length: 7_000 }, (_, i) => 33 + (((i * i * 7_919) % 9_973) % 90)));
    const cache = open(30_000);
    for (const key of ['a', 'b', 'c']) await cache.put(key, entryOf(noise, `"${key}"`));
    expect(cache.local('a')).toBeDefined();
    await variantOf(() => cache.local('c'), 'gzip');
    await variantOf(() => cache.local('c'), 'br');
    expect(cache.local('c')).toBeDefined();
    expect(['a', 'b'].filter((key) => cache.local(key) !== undefined).length).toBeLessThan(2);
  });

  it('goes with the body that it was made of, even where that was replaced while it was being made', async () => {
    const cache = open();
    await cache.put('k', entryOf(bodyOf(5_000, 'old'), '"old"'));
    cache.local('k')?.encodings?.make('gzip');
    await cache.put('k', entryOf(bodyOf(5_000, 'new'), '"new"'));
    const { body, etag } = await variantOf(() => cache.local('k'), 'gzip');
    expect([gunzipSync(body).toString(), etag]).toEqual([bodyOf(5_000, 'new'), '"new-gzip"']);
  });

  it('is kept for an equal body that was read again', async () => {
    const cache = open();
    await cache.put('k', entryOf(bodyOf(5_000), '"tag"'));
    const made = await variantOf(() => cache.local('k'), 'br');
    clock.advance(60_000);
    expect(cache.local('k')).toBeUndefined();
    await cache.put('k', entryOf(bodyOf(5_000), '"tag"'));
    expect(cache.local('k')?.encodings?.br).toBe(made);
    expect(cache.local('k')?.storedAt).toBe(clock.now());
  });

  it('is made once at a time, and no more than two at once are', async () => {
    const keep = createContentEncodings(LOCAL_BYTES);
    let grown = 0;
    const kept = [1, 2, 3].map((n) => keep(entryOf(bodyOf(5_000, `${n}`)), undefined, () => (grown += 1)));
    for (let i = 0; i < 200; i += 1) for (const { encodings } of kept) encodings?.make('gzip');
    await variantOf(() => kept[0], 'gzip');
    await variantOf(() => kept[1], 'gzip');
    expect([grown, kept[2]?.encodings?.gzip]).toEqual([2, undefined]);
    await variantOf(() => kept[2], 'gzip');
    expect(grown).toBe(3);
  });

  it('that is no smaller is dropped, and not compressed again', async () => {
    const random = Buffer.from(Array.from({ length: 2_000 }, () => Math.floor(Math.random() * 256)));
    const kept = createContentEncodings(LOCAL_BYTES)(entryOf(random), undefined, () => undefined);
    kept.encodings?.make('gzip');
    await eventually(() => kept.encodings?.gzip !== 'making');
    expect([kept.encodings?.gzip, kept.encodings?.bytes]).toEqual(['useless', 0]);
  });

  it('is reported with its sizes and duration, and so is one that saves nothing', async () => {
    const reported: Compression[] = [];
    const keep = createContentEncodings(LOCAL_BYTES, (compression) => reported.push(compression));
    const bytesBefore = bodyOf(5_000).length;
    const kept = keep(entryOf(bodyOf(5_000)), undefined, () => undefined);
    const { body } = await variantOf(() => kept, 'br');
    keep(entryOf(randomBytes(2_000)), undefined, () => undefined).encodings?.make('gzip');
    while (reported.length < 2) await new Promise((resolve) => setImmediate(resolve));
    expect(reported).toMatchObject([
      { coding: 'br', result: 'made', bytesBefore, bytesAfter: body.length },
      { coding: 'gzip', result: 'useless', bytesBefore: 2_000 },
    ]);
    for (const { seconds } of reported) expect(seconds).toBeGreaterThan(0);
  });
});
