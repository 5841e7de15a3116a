import type { SourceSpec } from '../config/source-schema.ts';

/** How a source's credential goes into a request. */
export type Credential = {
  readonly headers: Readonly<Record<string, string>>;
  /** Adds the credential to a target where it belongs into the query. */
  sign(target: string): string;
};

const unchanged = (target: string) => target;

/** Prepares the credential of a source. */
export function credentialOf(auth: SourceSpec['auth']): Credential {
  switch (auth.kind) {
    case 'none':
      return { headers: {}, sign: unchanged };
    case 'basic': {
      const pair = Buffer.from(`${auth.user.reveal()}:${auth.password.reveal()}`, 'utf8').toString('base64');
      return { headers: { Authorization: `Basic ${pair}` }, sign: unchanged };
    }
    case 'header':
      return { headers: { [auth.name]: auth.value.reveal() }, sign: unchanged };
    case 'query': {
      const parameter = `${encodeURIComponent(auth.name)}=${encodeURIComponent(auth.value.reveal())}`;
      return { headers: {}, sign: (target) => `${target}${target.includes('?') ? '&' : '?'}${parameter}` };
    }
  }
}
