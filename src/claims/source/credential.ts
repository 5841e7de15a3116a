import type { SourceSpec } from '../../config/schema/source.ts';
import { Secret } from '../../kernel/secret.ts';
import { type Claim, claimOf } from '../claim.ts';
import { type Ask, describeExchange, rowsAt, sizeOf } from '../evidence/ask.ts';
import { concludeAt, type Finding } from '../evidence/finding.ts';

/** A made-up credential, with a made-up user, so that no account is locked by wrong passwords. */
const WRONG = 'portico-doctor-wrong';

type Auth = SourceSpec['auth'];

/** A credential that the source does not know. */
function wrongAuth(auth: Auth): Auth {
  const value = new Secret(WRONG);
  switch (auth.kind) {
    case 'basic':
      return { kind: 'basic', user: value, password: value };
    case 'header':
    case 'query':
      return { ...auth, value };
    case 'oauth2':
      return { kind: 'header', name: 'Authorization', value: new Secret(`Bearer ${WRONG}`) };
    case 'session':
      return {
        kind: 'header',
        name: auth.header,
        value: new Secret(auth.value.replaceAll('{session}', WRONG)),
      };
    case 'none':
      return auth;
  }
}

async function judgeAs(ask: Ask, name: string, auth: Auth): Promise<Finding> {
  const exchange = await ask.withCredential(auth, (other) => rowsAt(other, 0, sizeOf(other.list)));
  const rule = ask.outcomeOf('list', exchange.reply);
  const status = `HTTP ${exchange.reply.status}`;
  const conclude = concludeAt(name, 'without the credential there is no answer', ['auth']);
  if (exchange.problem === undefined)
    return conclude(
      'differs',
      `accepted: ${describeExchange(exchange)}`,
      'protect the source; or auth: { kind: none }, if it is meant to be open',
      exchange,
    );
  if (rule?.is === 'unauthorized') return conclude('agrees', `${status} means unauthorized`);
  const at = rule === undefined ? ['outcomes'] : ['outcomes', rule.rule];
  return concludeAt(name, 'a refused credential is known as such', at)(
    'differs',
    `${status} means ${rule?.is ?? 'nothing: no rule fits'}`,
    `outcomes, before others: - { status: ${exchange.reply.status}, is: unauthorized }`,
    exchange,
  );
}

/** That the source answers nothing without the credential: it is asked once with a wrong one, and once with none. */
export function credentialClaims({ spec: { auth } }: Ask): readonly Claim[] {
  if (auth.kind === 'none') return [];
  return [
    claimOf('wrong credential', ({ ask }) => judgeAs(ask, 'wrong credential', wrongAuth(auth))),
    claimOf('no credential', ({ ask }) => judgeAs(ask, 'no credential', { kind: 'none' })),
  ];
}
