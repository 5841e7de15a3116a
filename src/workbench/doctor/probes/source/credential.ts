// Probes whether the source refuses a wrong credential. A source that does not may silently hide rows from visitors.

import { compileCredentialProof, proofOf } from '../../../../source/adapter/read/credential-proof.ts';
import type { Rows } from '../../../../source/adapter/compile.ts';
import type { SourceSpec } from '../../../../config/schema/source.ts';
import { type Claim, claimOf, type Evidence, type EvidenceRow } from '../../../../source/checks/claim.ts';
import {
  type Ask,
  describeExchange,
  idsOf,
  isNumbered,
  rowsAt,
  sizeOf,
} from '../../../../source/checks/evidence/ask.ts';
import {
  concludeAt,
  type Finding,
  type Findings,
  setting,
} from '../../../../source/checks/evidence/finding.ts';
import { authWith } from '../../session/masked-source.ts';
import { otherFields } from './single-record.ts';

/** A made-up credential. Its user is made up, too, so that wrong passwords lock no account. */
const WRONG = 'portico-doctor-wrong';

type Auth = SourceSpec['auth'];

const PLACE = ['auth', 'proof'];
const ADVICE =
  'auth.proof: a place that only replies to the credential have, or a request such as /me; a dead credential is served as a visitor';

/** What the account gets, but a visitor (a request without a credential) does not, in words. */
async function lossesOf(
  { ask, first, sample }: Evidence,
  other: Ask,
  { records, total, received }: Rows,
): Promise<readonly string[]> {
  const own = new Map<string, EvidenceRow>(sample.records.map((record) => [record.id, record]));
  const known = records.filter(({ id }) => own.has(id));
  const fields = ask.resource.itemFields.map(({ name }) => name);
  const lacking = new Set(
    known.flatMap((record) => otherFields(own.get(record.id) ?? record, record, fields)),
  );
  // The same record as the account and as a visitor gets it by itself.
  const [{ id } = { id: '' }] = [...known, ...first.value.records];
  const [one, theirs] = [await ask.one(id), await other.one(id)];
  const details = one?.value && otherFields(one.value, theirs?.value ?? { id: '' }, Object.keys(one.value));
  const ids = sample.records.map((record) => record.id);
  const size = sizeOf(ask.list);
  const last = Math.floor((ids.length - 1) / size) * size;
  const isCounted = isNumbered(ask.list.window) || ask.list.window.kind === 'none';
  // If a visitor lacks a row, all rows behind it have other numbers.
  const end = isNumbered(ask.list.window) && last > 0 ? await rowsAt(other, last, size) : undefined;
  const isSame = records.every((record, index) => record.id === ids[index]);
  const isSameEnd = (end === undefined ? [] : idsOf(end)).every((one, index) => one === ids[last + index]);
  const [all, seen] = total === undefined ? [first.value.received, received] : [first.value.total, total];
  return [
    ...(all === seen ? [] : [`a visitor sees ${seen} of ${all ?? 'more'} records`]),
    ...(lacking.size > 0 ? [`a visitor's rows lack ${[...lacking].join(', ')}`] : []),
    ...(details?.length ? [`a visitor's single view lacks ${details.join(', ')}`] : []),
    ...(isSame && isSameEnd ? [] : ['a visitor gets other rows']),
    ...(isCounted || total !== undefined ? [] : ['how many rows a visitor gets is not known']),
  ];
}

async function checkAs(evidence: Evidence, name: string, auth: Auth): Promise<Finding> {
  const { ask } = evidence;
  const { exchange, losses } = await ask.withCredential(auth, async (other) => {
    const answer = await rowsAt(other, 0, sizeOf(other.list));
    const isServed = answer.problem === undefined;
    return { exchange: answer, losses: isServed ? await lossesOf(evidence, other, answer.value) : [] };
  });
  const rule = ask.outcomeOf('list', exchange.reply);
  const status = `HTTP ${exchange.reply.status}`;
  const conclude = concludeAt(name, 'without the credential there is no answer', ['auth']);
  if (exchange.problem === undefined) {
    const lost = losses.length > 0 ? losses.join('; ') : 'the credential makes no difference to what is read';
    const observed = `accepted: ${describeExchange(exchange)}; ${lost}`;
    if (proofOf(ask.spec) !== undefined)
      return conclude('agrees', `${observed}; auth.proof shows the difference`);
    const open = 'protect the source; or auth: { kind: none }, if it is meant to be open';
    return conclude('differs', observed, losses.length > 0 ? ADVICE : open, exchange);
  }
  const isUnproven = exchange.reply.status < 400 && exchange.problem.credentialRefused;
  if (rule?.is === 'unauthorized' || isUnproven) return conclude('agrees', `${status} means unauthorized`);
  const at = rule === undefined ? ['outcomes'] : ['outcomes', rule.rule];
  return concludeAt(name, 'a refused credential is recognised', at)(
    'differs',
    `${status} means ${rule?.is ?? 'nothing: no rule fits'}`,
    `outcomes, before others: - { status: ${exchange.reply.status}, is: unauthorized }`,
    exchange,
  );
}

/** Checks that replies to the account have the proof of `auth.proof`, and replies to a visitor do not. */
async function checkProof({ ask, first }: Evidence): Promise<Findings> {
  const proof = compileCredentialProof(ask.spec);
  if (proof === undefined) return undefined;
  const { request, holds } = proof;
  const conclude = concludeAt('credential proof', 'only replies to the credential have the proof', PLACE);
  const replyOf = async (one: Ask) =>
    (await (request === undefined ? rowsAt(one, 0, 1) : one.send(request))).reply;
  const own = await replyOf(ask);
  const status = `HTTP ${own.status}`;
  const taken = setting(PLACE, undefined, 'another place or request in auth.proof; this one shows nothing');
  if (own.status >= 300 || !holds(own)) return conclude('differs', `${status} without the proof`, taken);
  const one = request === undefined ? await ask.one(idsOf(first)[0] ?? '') : undefined;
  if (one?.problem?.credentialRefused === true)
    return conclude('differs', 'the single view has no proof', taken, one);
  for (const auth of [authWith(ask.spec.auth, WRONG), { kind: 'none' } as const]) {
    const visitor = await ask.withCredential(auth, replyOf);
    if (visitor.status < 300 && holds(visitor))
      return conclude('differs', 'a visitor has the proof, too', taken);
  }
  return conclude('agrees', `${status} with the proof, and without it for a visitor`);
}

/** Claims that a source checks the credential. It is asked once with a wrong one, and once with none. */
export function credentialClaims({ spec: { auth } }: Ask): readonly Claim[] {
  if (auth.kind === 'none') return [];
  return [
    claimOf('wrong credential', (evidence) => checkAs(evidence, 'wrong credential', authWith(auth, WRONG))),
    claimOf('no credential', (evidence) => checkAs(evidence, 'no credential', { kind: 'none' })),
    claimOf('credential proof', checkProof),
  ];
}
