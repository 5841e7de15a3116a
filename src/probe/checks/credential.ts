import { compileSessionReader } from '../../adapter/read/session-reader.ts';
import type { SourceSpec } from '../../config/schema/source.ts';
import { Secret } from '../../kernel/secret.ts';
import { createUpstream } from '../../upstream/client.ts';
import { callAt, type Examination, heardText } from '../session/probe-session.ts';
import { claimed, type Finding, type Probe } from '../session/finding.ts';
import { type Footing, plainLister } from '../session/windows.ts';

/** Nobody's. A made-up user, too, so that no account is locked by wrong passwords. */
const WRONG = 'portico-doctor-wrong';

type Auth = SourceSpec['auth'];

/** The credential of somebody whom the source does not know. */
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

async function askAs(examination: Examination, { change }: Footing, auth: Auth) {
  const spec = { ...examination.spec, auth };
  const upstream = createUpstream(spec, {
    onExchange: () => undefined,
    readSession: compileSessionReader(spec),
  });
  try {
    const lister = plainLister(examination.through(upstream), change);
    return await lister.ask(callAt(examination, lister, 0, change.size));
  } finally {
    upstream.close();
  }
}

async function probeAs(
  examination: Examination,
  footing: Footing,
  name: string,
  auth: Auth,
): Promise<Finding> {
  const heard = await askAs(examination, footing, auth);
  const rule = examination.outcomeOf('list', heard.reply);
  const status = `HTTP ${heard.reply.status}`;
  const tell = claimed(name, 'without the credential there is no answer', ['auth']);
  if (heard.problem === undefined)
    return tell('differs', `accepted: ${heardText(heard)}`, {
      hint: 'protect the source; or auth: { kind: none }, if it is meant to be open',
    });
  if (rule?.is === 'unauthorized') return tell('agrees', `${status} means unauthorized`);
  const at = rule === undefined ? ['outcomes'] : ['outcomes', rule.rule];
  return claimed(name, 'a refused credential is known as such', at)(
    'differs',
    `${status} means ${rule?.is ?? 'nothing: no rule fits'}`,
    { hint: `outcomes, before others: - { status: ${heard.reply.status}, is: unauthorized }` },
  );
}

/** Asks once with a wrong credential and once with none. */
export function credentialProbes(examination: Examination, footing: Footing): readonly Probe[] {
  const { auth } = examination.spec;
  if (auth.kind === 'none') return [];
  return [
    {
      name: 'wrong credential',
      run: () => probeAs(examination, footing, 'wrong credential', wrongAuth(auth)),
    },
    { name: 'no credential', run: () => probeAs(examination, footing, 'no credential', { kind: 'none' }) },
  ];
}
