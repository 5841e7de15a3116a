import fc from 'fast-check';
import { type KeyRecord, readKeyRecord, writeKeyRecord } from '../../../src/store/key-record.ts';
import { anyCharacter } from '../../support/any-character.ts';

const time = fc.integer({ min: 0, max: 8.64e15 });
const hash = fc.stringMatching(/^[A-Za-z0-9_-]{43}$/);
const records: fc.Arbitrary<KeyRecord> = fc.record(
  {
    id: fc.string(),
    label: fc.string({ unit: anyCharacter }),
    permissions: fc.array(fc.string()),
    tier: fc.string(),
    createdAt: time,
    expiresAt: time,
    revokedAt: time,
    hashes: fc.array(fc.record({ hash, validUntil: time }, { requiredKeys: ['hash'] }), { minLength: 1 }),
  },
  { requiredKeys: ['id', 'label', 'permissions', 'tier', 'createdAt', 'hashes'], noNullPrototype: true },
);

const whole: KeyRecord = {
  id: 'abcdefghijkl',
  label: 'CRM',
  permissions: ['users:read'],
  tier: 'standard',
  createdAt: 1,
  hashes: [{ hash: 'x'.repeat(43) }],
};

describe('the record of a key', () => {
  it('is read as it was written', () => {
    fc.assert(
      fc.property(records, (record) => {
        expect(readKeyRecord(record.id, writeKeyRecord(record))).toEqual(JSON.parse(JSON.stringify(record)));
      }),
    );
  });

  it('is never read from anything else, and never throws', () => {
    fc.assert(fc.property(fc.string(), (text) => expect(readKeyRecord('x', text)).toBeUndefined()));
    fc.assert(fc.property(fc.json(), (text) => expect(readKeyRecord('x', text)).toBeUndefined()));
    expect(readKeyRecord('x', '['.repeat(200_000))).toBeUndefined();
  });

  it('is damaged where an address that it is limited to is none', () => {
    for (const addresses of [['10.0.0.0/8', 'everywhere'], ['10.0.0.0/33'], ['']])
      expect(readKeyRecord(whole.id, writeKeyRecord({ ...whole, addresses }))).toBeUndefined();
  });

  it('is damaged when it is cut off anywhere', () => {
    const text = writeKeyRecord(whole);
    for (let length = 0; length < text.length; length += 1) {
      expect(readKeyRecord(whole.id, text.slice(0, length))).toBeUndefined();
    }
  });

  it.each<[string, object]>([
    ['of another version', { version: 2 }],
    ['of another key', { id: 'mnopqrstuvwx' }],
    ['without hashes', { hashes: [] }],
    ['whose hash is no HMAC', { hashes: [{ hash: '' }] }],
    ['whose hash is a list', { hashes: [{ hash: ['x'.repeat(43)] }] }],
    ['whose permissions are a text', { permissions: 'users:read' }],
    ['whose permissions are no texts', { permissions: [null] }],
    ['whose tier is missing', { tier: undefined }],
    ['whose revocation is no time', { revokedAt: 'yesterday' }],
    ['whose revocation is null', { revokedAt: null }],
    ['whose expiry is beyond all time', { expiresAt: 1e300 }],
    ['whose expiry is negative', { expiresAt: -1 }],
  ])('is damaged %s', (_, change) => {
    const text = JSON.stringify({ ...(JSON.parse(writeKeyRecord(whole)) as object), ...change });
    expect(readKeyRecord(whole.id, text)).toBeUndefined();
  });
});
