import fc from 'fast-check';
import { crc32 } from 'node:zlib';
import { type CacheEntry, decodeEntry, encodeEntry } from '../../../../src/store/cache/cache-entry.ts';
import { writeEnvelope } from '../../../../src/store/redis/stored-bytes.ts';
import { anyCharacter } from '../../../support/any-character.ts';

const KEY = 'users.list/digest/1/50//[]';

const entry: fc.Arbitrary<CacheEntry> = fc.record({
  found: fc.boolean(),
  body: fc.uint8Array({ maxLength: 60 }).map((bytes) => Buffer.from(bytes)),
  etag: fc.string({ unit: anyCharacter, maxLength: 30 }),
  storedAt: fc.integer({ min: 0, max: 4e12 }),
  freshSeconds: fc.nat(86_400),
  freshMs: fc.nat(86_400_000),
  staleMs: fc.nat(86_400_000),
  tags: fc
    .array(fc.stringMatching(/^[a-z]{1,8}(?::[A-Za-z0-9_.~-]{1,12})?$/), { maxLength: 4 })
    .map((tags) => tags.join(' ')),
  purgePosition: fc.record({ epoch: fc.string({ maxLength: 12 }), purges: fc.nat() }),
});

/** The bytes of an entry with another head, and a checksum that fits. */
function withHead(head: string, headLength = Buffer.byteLength(head)): Buffer {
  const length = Buffer.alloc(4);
  length.writeUInt32BE(headLength);
  const payload = Buffer.concat([length, Buffer.from(head), Buffer.from('{"data":[]}')]);
  return writeEnvelope('cacheEntry', KEY, payload.length, (bytes, at) => void payload.copy(bytes, at));
}

/** The bytes of an entry as the last form had them: another magic, in the checksum too, and the tags as a list. */
function inFormerForm(head: string): Buffer {
  const rest = withHead(head).subarray(8);
  const sum = Buffer.alloc(4);
  sum.writeUInt32BE(crc32(rest, crc32(`PTC3 ${KEY}`)));
  return Buffer.concat([Buffer.from('PTC3'), sum, rest]);
}

describe('the bytes of a cached answer', () => {
  it('are read back as they were written', () => {
    fc.assert(
      fc.property(entry, (one) => {
        const read = decodeEntry(KEY, encodeEntry(KEY, one))!;
        expect({ ...read, body: undefined }).toEqual({ ...one, body: undefined });
        expect(read.body.equals(one.body)).toBe(true);
      }),
    );
  });

  it('are a miss when any one byte of them has changed', () => {
    fc.assert(
      fc.property(entry, fc.nat(), fc.integer({ min: 1, max: 255 }), (one, at, flip) => {
        const bytes = encodeEntry(KEY, one);
        const place = at % bytes.length;
        bytes[place] = bytes[place]! ^ flip;
        expect(decodeEntry(KEY, bytes)).toBeUndefined();
      }),
      { numRuns: 1_000 },
    );
  });

  it('are a miss wherever they are cut, and when something follows them', () => {
    fc.assert(
      fc.property(entry, fc.nat(), fc.uint8Array({ minLength: 1, maxLength: 9 }), (one, at, more) => {
        const bytes = encodeEntry(KEY, one);
        expect(decodeEntry(KEY, bytes.subarray(0, at % bytes.length))).toBeUndefined();
        expect(decodeEntry(KEY, Buffer.concat([bytes, more]))).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('are a miss when somebody else wrote them', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.uint8Array(),
          fc.uint8Array().map((bytes) => [...Buffer.from('PTC4'), ...bytes]),
        ),
        (bytes) => {
          expect(decodeEntry(KEY, Buffer.from(bytes))).toBeUndefined();
        },
      ),
      { numRuns: 500 },
    );
    for (const text of ['', 'PTC4', '{"data":[]}', '[1,"","",0]'])
      expect(decodeEntry(KEY, Buffer.from(text))).toBeUndefined();
  });

  it('are a miss when an older or newer Portico wrote them', () => {
    const head = JSON.stringify([1, '"e"', [1_000, 10, 9_500, 0], ['x', 3], 'users']);
    expect(decodeEntry(KEY, withHead(head))).toMatchObject({ found: true, etag: '"e"' });
    expect(decodeEntry(KEY, inFormerForm(head))).toBeUndefined();
    expect(decodeEntry(KEY, inFormerForm(head.replace(/"users"/, '["users"]')))).toBeUndefined();
    for (const magic of ['PTC2', 'PTC3', 'PTC5', 'ptc4']) {
      const bytes = withHead(head);
      bytes.write(magic);
      expect(decodeEntry(KEY, bytes)).toBeUndefined();
    }
  });

  it.each([
    ['{}', undefined],
    ['null', undefined],
    ['[]', undefined],
    ['[true,"",[0,0,0,0],["",0],""]', undefined],
    ['[2,"",[0,0,0,0],["",0],""]', undefined],
    ['[1,null,[0,0,0,0],["",0],""]', undefined],
    ['[1,"",["0",0,0,0],["",0],""]', undefined],
    ['[1,"",[0,0,0],["",0],""]', undefined],
    ['[1,"",[0,0,0,1e999],["",0],""]', undefined],
    ['[1,"",[0,0,0,0],["",0.5],""]', undefined],
    ['[1,"",[0,0,0,0],[0,0],""]', undefined],
    ['[1,"",[0,0,0,0],["",0],["users"]]', undefined],
    ['[1,"",[0,0,0,0],["",0],{}]', undefined],
    ['[1,"",[0,0,0,0],["",0]]', undefined],
    ['[1,"",0,0]', undefined],
    ['not json', undefined],
    ['', undefined],
    ['[1,"",[0,0,0,0],["",0],""]', 3],
    ['[1,"",[0,0,0,0],["",0],""]', 4_000_000_000],
  ])('are a miss with the head %j, though their checksum is right', (head, length) => {
    expect(decodeEntry(KEY, withHead(head, length))).toBeUndefined();
  });

  it('is foreign under any other key', () => {
    fc.assert(
      fc.property(entry, (one) => {
        expect(decodeEntry(`${KEY}x`, encodeEntry(KEY, one))).toBeUndefined();
      }),
    );
  });
});
