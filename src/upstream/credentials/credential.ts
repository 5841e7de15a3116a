import type { SourceSpec } from '../../config/schema/source.ts';

/** How a source's credential goes into a request. */
export type UpstreamCredential = {
  readonly headers: Readonly<Record<string, string>>;
  /** Adds the credential to a target where it belongs into the query. */
  readonly sign: (target: string) => string;
};

/** Gives the credential of a source; it may have to be obtained first. */
export type CredentialSource = {
  /** The one at hand; `undefined` where one has to be obtained. */
  held(): UpstreamCredential | undefined;
  /** @throws GatewayError as a call to the source does, where it cannot be had */
  obtain(signal: AbortSignal): Promise<UpstreamCredential>;
  /** Forgets a credential that the source has refused; false where there is no other to be had. */
  renew(refused: UpstreamCredential): boolean;
};

const unchanged = (target: string) => target;

/** A credential that goes into one header. */
export function headerCredential(name: string, value: string): UpstreamCredential {
  return { headers: { [name]: value }, sign: unchanged };
}

/** A credential that stays the same. */
export function fixedCredential(credential: UpstreamCredential): CredentialSource {
  return { held: () => credential, obtain: () => Promise.resolve(credential), renew: () => false };
}

type FixedAuth = Extract<SourceSpec['auth'], { kind: 'none' | 'basic' | 'header' | 'query' }>;

/** The credential that a configuration names. */
export function namedCredential(auth: FixedAuth): UpstreamCredential {
  switch (auth.kind) {
    case 'none':
      return { headers: {}, sign: unchanged };
    case 'basic': {
      const pair = Buffer.from(`${auth.user.reveal()}:${auth.password.reveal()}`, 'utf8').toString('base64');
      return headerCredential('Authorization', `Basic ${pair}`);
    }
    case 'header':
      return headerCredential(auth.name, auth.value.reveal());
    case 'query': {
      const parameter = `${encodeURIComponent(auth.name)}=${encodeURIComponent(auth.value.reveal())}`;
      return { headers: {}, sign: (target) => `${target}${target.includes('?') ? '&' : '?'}${parameter}` };
    }
  }
}
