import { randomBytes } from 'node:crypto';
import { type MintedKey, mintKey } from '../../../src/pipeline/stages/authentication/key-changes.ts';
import { Secret } from '../../../src/kernel/secret.ts';
import { hashApiKey } from '../../../src/pipeline/stages/authentication/api-key.ts';

/** The hash under which a key is stored with a pepper. */
export function storedHashUnder(pepper: string, key: string): string {
  return hashApiKey(new Secret(pepper), key);
}

/** Every secret of one bench. Each contains the secret marker, and none may come out of a gateway. */
export type BenchSecrets = {
  /** Stands in every secret, and in those fields of the sample services that nobody may see. */
  readonly secretMarker: string;
  readonly pepper: string;
  readonly configuredKey: string;
  /** What the sample services ask of the gateway. */
  readonly credentials: {
    readonly users: { readonly user: string; readonly password: string };
    readonly catalog: { readonly key: string };
    readonly orders: { readonly token: string };
    readonly people: { readonly token: string };
  };
  /** The same as variables of the committed sources, with the pepper. */
  readonly env: Readonly<Record<string, string>>;
  /** Another one that may not come out. Of an API key it is the part behind its id. */
  add(secret: string): void;
  /** Those that a text holds. */
  in(text: string): readonly string[];
};

/** Makes the secrets of a bench. */
export function createBenchSecrets(): BenchSecrets {
  const secretMarker = `secretmarker${randomBytes(4).toString('hex')}`;
  const credentials = {
    users: { user: `user-${secretMarker}`, password: `password-${secretMarker}` },
    catalog: { key: `key-${secretMarker}` },
    orders: { token: `token-${secretMarker}` },
    people: { token: `people-${secretMarker}` },
  };
  const pepper = `a-pepper-of-the-bench-${secretMarker}`;
  const wanted = new Set([secretMarker]);
  return {
    secretMarker,
    pepper,
    configuredKey: `a-configured-key-${secretMarker}`,
    credentials,
    env: {
      PORTICO_KEY_PEPPER: pepper,
      USERS_USER: credentials.users.user,
      USERS_PASSWORD: credentials.users.password,
      CATALOG_KEY: credentials.catalog.key,
      ORDERS_TOKEN: credentials.orders.token,
      PEOPLE_TOKEN: credentials.people.token,
    },
    add: (secret) => void wanted.add(/^ptk_[a-z0-9]+_(.+)$/.exec(secret)?.[1] ?? secret),
    in: (text) => [...wanted].filter((secret) => text.includes(secret)),
  };
}

/** The tier of the bench's keys: no load of a test reaches its limit. */
export const ROOMY = 'bench';

/** A new key that may read users and products. */
export function mintBenchKey(secrets: Pick<BenchSecrets, 'pepper' | 'add'>): MintedKey {
  const terms = { label: 'bench', permissions: ['users:read', 'products:read'], tier: ROOMY };
  const minted = mintKey(new Secret(secrets.pepper), Date.now(), terms);
  secrets.add(minted.key);
  return minted;
}
