import type { SourceSpec } from '../../config/schema/source.ts';
import { Secret } from '../../kernel/secret.ts';
import { callAt, type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, type Finding, type Probe } from '../resource/finding.ts';
import { type Baseline, unfilteredList } from '../resource/baseline.ts';

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

function askAs(session: ProbeSession, { change }: Baseline, auth: Auth) {
  return session.withCredential(auth, (other) => {
    const reader = unfilteredList(other, change);
    return reader.ask(callAt(other, reader, 0, change.size));
  });
}

async function probeAs(
  session: ProbeSession,
  baseline: Baseline,
  name: string,
  auth: Auth,
): Promise<Finding> {
  const exchange = await askAs(session, baseline, auth);
  const rule = session.outcomeOf('list', exchange.reply);
  const status = `HTTP ${exchange.reply.status}`;
  const conclude = claimAt(name, 'without the credential there is no answer', ['auth']);
  if (exchange.problem === undefined)
    return conclude('differs', `accepted: ${describeExchange(exchange)}`, {
      hint: 'protect the source; or auth: { kind: none }, if it is meant to be open',
    });
  if (rule?.is === 'unauthorized') return conclude('agrees', `${status} means unauthorized`);
  const at = rule === undefined ? ['outcomes'] : ['outcomes', rule.rule];
  return claimAt(name, 'a refused credential is known as such', at)(
    'differs',
    `${status} means ${rule?.is ?? 'nothing: no rule fits'}`,
    { hint: `outcomes, before others: - { status: ${exchange.reply.status}, is: unauthorized }` },
  );
}

/** Asks once with a wrong credential and once with none. */
export function credentialProbes(session: ProbeSession, baseline: Baseline): readonly Probe[] {
  const { auth } = session.spec;
  if (auth.kind === 'none') return [];
  return [
    {
      name: 'wrong credential',
      run: () => probeAs(session, baseline, 'wrong credential', wrongAuth(auth)),
    },
    { name: 'no credential', run: () => probeAs(session, baseline, 'no credential', { kind: 'none' }) },
  ];
}
