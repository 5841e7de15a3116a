import { Secret } from '../../../../../src/kernel/secret.ts';
import { createApiKeyCheck } from '../../../../../src/pipeline/stages/authentication/api-key-check.ts';
import type { KeyRecords } from '../../../../../src/pipeline/stages/authentication/api-key-records.ts';
import { hashApiKey, newApiKey } from '../../../../../src/pipeline/stages/authentication/api-key.ts';
import type {
  CallerCredential,
  RefusalReason,
} from '../../../../../src/pipeline/stages/authentication/credential-result.ts';
import type { KeyRecord } from '../../../../../src/store/key-record.ts';
import { createManualClock } from '../../../../support/time/manual-clock.ts';

const pepper = new Secret('a pepper of the tests');
const clock = createManualClock();
const tiers = new Set(['standard', 'gold']);
const credentialOf = (text: string): CallerCredential => ({ text, digest: text, bearer: true });

function recordOf(id: string, keys: readonly string[], rest: Partial<KeyRecord> = {}): KeyRecord {
  const hashes = keys.map((key) => ({ hash: hashApiKey(pepper, key) }));
  return { id, label: '', permissions: ['users:read'], tier: 'gold', createdAt: 0, hashes, ...rest };
}

function storedCheck(record: KeyRecord | undefined, asked: string[] = []) {
  const records: KeyRecords = {
    uses: () => new Map(),
    canServe: () => true,
    ...{ lost: new Map(), loss: () => undefined },
    current: (id) => {
      asked.push(id);
      return Promise.resolve(record === undefined ? undefined : { record, isFresh: () => true, usedAt: 0 });
    },
  };
  return createApiKeyCheck({ pepper, configured: [], records, clock, tiers, fallbackTier: 'standard' });
}

function configuredCheck(id: string, key: string, rest: { expiresAt?: string; tier?: string } = {}) {
  const entry = {
    id,
    hash: hashApiKey(pepper, key),
    label: '',
    permissions: ['users:read'],
    tier: 'gold',
    ...rest,
  };
  return createApiKeyCheck({ pepper, configured: [entry], clock, tiers, fallbackTier: 'standard' });
}

const id = 'abcdefghijkl';
const key = newApiKey(id);
const refused = (reason: RefusalReason, keyId = id) => ({ kind: 'refused', reason, keyId });

describe('keys in Redis', () => {
  it('are accepted with what their record says', async () => {
    const result = await storedCheck(recordOf(id, [key])).stored(credentialOf(key));
    expect(result).toMatchObject({
      kind: 'accepted',
      principal: { kind: 'key', id, subject: `key:${id}`, tier: 'gold' },
    });
    expect(result.kind === 'accepted' && [...result.principal.permissions]).toEqual(['users:read']);
  });

  it('are accepted under any hash that is still valid, and only so long', async () => {
    const old = newApiKey(id);
    const hashes = [
      { hash: hashApiKey(pepper, key) },
      { hash: hashApiKey(pepper, old), validUntil: clock.now() + 1_000 },
    ];
    const check = storedCheck(recordOf(id, [], { hashes }));
    const [fresh, outgoing] = [await check.stored(credentialOf(key)), await check.stored(credentialOf(old))];
    expect([fresh.kind, outgoing.kind]).toEqual(['accepted', 'accepted']);
    clock.advance(1_000);
    expect(outgoing.kind === 'accepted' && outgoing.isFresh()).toBe(false);
    expect(fresh.kind === 'accepted' && fresh.isFresh()).toBe(true);
    expect(await check.stored(credentialOf(old))).toEqual(refused('expired'));
  });

  it.each([
    ['with another secret', recordOf(id, [newApiKey(id)]), 'wrong_secret'],
    ['when revoked', recordOf(id, [key], { revokedAt: 1 }), 'revoked'],
    ['when expired', recordOf(id, [key], { expiresAt: clock.now() }), 'expired'],
    ['when there is no record', undefined, 'unknown'],
  ] as const)('are refused %s', async (_, record, reason) => {
    expect(await storedCheck(record).stored(credentialOf(key))).toEqual(refused(reason));
  });

  it('are never asked for when the text is not well formed', async () => {
    const asked: string[] = [];
    const check = storedCheck(recordOf(id, [key]), asked);
    const mistyped = key.slice(0, -1) + (key.endsWith('0') ? '1' : '0');
    for (const text of [mistyped, 'a company key', 'eyJ.e.f', `ptk_${id}_`]) {
      expect(await check.stored(credentialOf(text))).toEqual({ kind: 'unrecognised' });
    }
    expect(asked).toEqual([]);
  });

  it('whose tier no longer exists are counted under the fallback', async () => {
    const result = await storedCheck(recordOf(id, [key], { tier: 'gone' })).stored(credentialOf(key));
    expect(result).toMatchObject({ principal: { tier: 'standard' } });
  });
});

describe('keys in the configuration', () => {
  it('are accepted without any record in Redis', async () => {
    const check = configuredCheck(id, key);
    expect(check.configured(credentialOf(key))).toMatchObject({ kind: 'accepted', principal: { id } });
    expect(await check.stored(credentialOf(newApiKey('zzzzzzzzzzzz')))).toEqual(
      refused('unknown', 'zzzzzzzzzzzz'),
    );
  });

  it('may have any form: a company brings its own', () => {
    const check = configuredCheck('legacycrm', 'Crm/Key+2019==');
    expect(check.configured(credentialOf('Crm/Key+2019=='))).toMatchObject({
      principal: { subject: 'key:legacycrm' },
    });
    expect(check.configured(credentialOf('Crm/Key+2019='))).toEqual({ kind: 'unrecognised' });
  });

  it('are refused with another secret under their id, without a look into Redis', () => {
    expect(configuredCheck(id, key).configured(credentialOf(newApiKey(id)))).toEqual(refused('wrong_secret'));
  });

  it('are refused once expired', () => {
    const check = configuredCheck(id, key, { expiresAt: new Date(clock.now() + 5_000).toISOString() });
    const result = check.configured(credentialOf(key));
    expect(result.kind === 'accepted' && result.isFresh()).toBe(true);
    clock.advance(5_000);
    expect(result.kind === 'accepted' && result.isFresh()).toBe(false);
    expect(check.configured(credentialOf(key))).toEqual(refused('expired'));
  });
});
