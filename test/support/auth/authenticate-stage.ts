import { Secret } from '../../../src/kernel/secret.ts';
import { createApiKeyCheck } from '../../../src/pipeline/stages/authentication/api-key-check.ts';
import { createKeyRecords } from '../../../src/pipeline/stages/authentication/api-key-records.ts';
import { hashApiKey, newApiKey, newKeyId } from '../../../src/pipeline/stages/authentication/api-key.ts';
import { createAuthenticate } from '../../../src/pipeline/stages/authentication/authenticate.ts';
import type { Call } from '../../../src/pipeline/stages/call.ts';
import { createFailedCredentials } from '../../../src/pipeline/stages/authentication/failed-credentials.ts';
import type { JwtCheck } from '../../../src/pipeline/stages/authentication/jwt.ts';
import { createCredentialThrottle } from '../../../src/pipeline/stages/authentication/credential-throttle.ts';
import type { KeyLookup } from '../../../src/store/key-store.ts';
import { later } from '../pipeline/call.ts';
import { createManualClock } from '../time/manual-clock.ts';

const pepper = new Secret('a pepper of the tests');

/** The id of the one key in Redis, and the key. */
export const storedId = newKeyId();
export const storedKey = newApiKey(storedId);
/** A key of the configuration. */
export const companyKey = 'Crm/Key+2019==';

/** The stage with a real check of keys, over a store and an issuer that the test speaks for. */
export function startAuthenticate({ points = 3 } = {}) {
  const clock = createManualClock();
  const outcomes: string[] = [];
  const lookups: string[] = [];
  const world = {
    lookup: (id: string): KeyLookup =>
      id === storedId ? { kind: 'found', record: recordOf(id, storedKey) } : { kind: 'absent' },
    token: (() => Promise.resolve({ kind: 'unrecognised' })) as JwtCheck['verify'],
  };
  const find = (id: string) => {
    lookups.push(id);
    return Promise.resolve(world.lookup(id));
  };
  const failed = createFailedCredentials({ window: { points, seconds: 60 }, clock });
  const stage = createAuthenticate({
    apiKeys: createApiKeyCheck({
      pepper,
      configured: [
        {
          id: 'legacycrm',
          hash: hashApiKey(pepper, companyKey),
          label: '',
          permissions: [],
          tier: 'standard',
        },
      ],
      records: createKeyRecords({ store: { find, isDeleted: () => Promise.resolve(false) }, clock }),
      clock,
      tiers: new Set(['standard']),
      fallbackTier: 'standard',
    }),
    jwt: { verify: (credential, attempt) => world.token(credential, attempt) },
    failed,
    throttle: createCredentialThrottle({ failed, clock }),
    anonymousTier: 'anonymous',
    metrics: {
      credential: (kind, outcome) => outcomes.push(`${kind} ${outcome}`),
      refusedCredential: () => undefined,
    },
  });
  const handler = later(stage((call) => call.principal?.id));
  const statusOf = async (call: Call) => {
    try {
      await handler(call);
      return 200;
    } catch (error) {
      return (error as { status: number }).status;
    }
  };
  return { clock, outcomes, lookups, world, handler, statusOf };
}

export function recordOf(id: string, key: string) {
  const hashes = [{ hash: hashApiKey(pepper, key) }];
  return { id, label: '', permissions: ['users:read'], tier: 'standard', createdAt: 0, hashes };
}
