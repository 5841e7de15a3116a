import type { CanonicalRecord } from '../../contract/response-body.ts';
import type { Value } from '../../contract/fields.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import { type ProbeSession, describeExchange } from '../resource/probe-session.ts';
import { claimAt, counted, type Finding, type Probe } from '../resource/finding.ts';
import type { ProbeWalk } from '../resource/probe-walk.ts';

/** Records that are asked for one by one. */
const RECORDS_TRIED = 4;
const MISSING_TRIED = 3;

/** Malformed and hostile ids. */
const HOSTILE_SUFFIXES = ['0', '99999999999999999999999', 'x~27~20or~20~271~27~3d~271', '~2e~2e~2fx', '-1'];

function getPlace({ resource }: ProbeSession, ...keys: readonly PropertyKey[]): readonly PropertyKey[] {
  return ['resources', resource.name, 'get', ...keys];
}

function isEqual(left: Value, right: Value): boolean {
  if (left instanceof Decimal && right instanceof Decimal) return left.compare(right) === 0;
  return left === right;
}

/** The first, the last, and those with the most unusual ids. */
function chosen(records: readonly CanonicalRecord[]): readonly CanonicalRecord[] {
  const odd = records.find(({ id }) => /[~.-]/.test(id));
  const complete = records.find((record) => Object.values(record).every((value) => value !== null));
  const all = [records[0], odd, complete, records.at(-1)].filter((record) => record !== undefined);
  return [...new Set(all)].slice(0, RECORDS_TRIED);
}

/** Whether a record has the same values by itself as in the list. */
async function probeExisting(session: ProbeSession, { records }: ProbeWalk): Promise<Finding> {
  const conclude = claimAt('get', 'a record is the same by itself as in the list', getPlace(session));
  const shared = session.resource.itemFields
    .map(({ name }) => name)
    .filter((name) => !session.failedClaims.has(`field ${name}`));
  let compared = 0;
  for (const record of chosen(records)) {
    const exchange = await session.ask(record.id);
    if (exchange === undefined) continue;
    const calls = [exchange.request];
    if (exchange.problem !== undefined)
      return conclude('differs', describeExchange(exchange), {
        calls,
        hint: 'get: the request, `item`, and the outcomes',
      });
    if (exchange.value === undefined)
      return conclude('differs', 'a record of the list is not found', {
        calls,
        hint: 'get.request, and the outcomes',
      });
    const { value } = exchange;
    const other = shared.filter((field) => !isEqual(record[field] ?? null, value[field] ?? null));
    if (other.length > 0)
      return claimAt(
        'get',
        'a record is the same by itself as in the list',
        getPlace(session, 'map', other[0] ?? ''),
      )('differs', `other values than in the list: ${other.join(', ')}`, {
        calls,
        hint: `get.map and list.map, of ${other.join(', ')}`,
      });
    compared += 1;
  }
  return compared === 0
    ? conclude('could not tell', 'there are no records')
    : conclude('agrees', `${counted(compared, 'record')} compared, field by field`);
}

/** An id of the same form as another, with other digits and letters. */
function changedId(id: string, turn: number): string {
  const start = id.indexOf('_') + 1;
  const [prefix, tail] = [id.slice(0, start), id.slice(start)];
  const changed = tail.replaceAll(/(?<!~)(?<!~[0-9a-f])[0-9a-f]/g, (character) => {
    const alphabet = /\d/.test(character) ? '123456789' : 'abcdef';
    return alphabet.charAt((alphabet.indexOf(character) + turn + 1) % alphabet.length);
  });
  // A number so large that it is hardly in use.
  return prefix + (/^\d+$/.test(tail) ? `${changed}${turn}7719283`.slice(0, 9) : changed);
}

/** Ids that are well formed, and that no record of the sample has. */
function missingIds(records: readonly CanonicalRecord[]): readonly string[] {
  const known = new Set(records.map(({ id }) => id));
  const like = records.at(-1)?.id ?? '_';
  const ids = [1, 2, 3, 4, 5].map((turn) => changedId(like, turn)).filter((id) => !known.has(id));
  return [...new Set(ids)].slice(0, MISSING_TRIED);
}

async function probeMissing(session: ProbeSession, { records, complete }: ProbeWalk): Promise<Finding> {
  const conclude = claimAt('missing id', 'an id that no record has is not found', ['outcomes']);
  let asked: UpstreamRequest | undefined;
  for (const id of missingIds(records)) {
    const exchange = await session.ask(id);
    if (exchange === undefined) continue;
    const { reply, problem, value, request } = exchange;
    asked = request;
    // There is such a record after all.
    if (value !== undefined) continue;
    if (problem === undefined) return conclude('agrees', `HTTP ${reply.status} means not_found`);
    const outcome = session.outcomeOf('get', reply)?.is ?? 'nothing: no rule fits';
    const sign = reply.status === 200 ? 'at: …, equals: …' : `status: ${reply.status}`;
    return conclude('differs', `${describeExchange(exchange)}; the rules say ${outcome}`, {
      calls: [request],
      hint: `outcomes, before others: - { on: get, ${sign}, is: not_found }`,
    });
  }
  return asked !== undefined && complete
    ? conclude('differs', 'records came that are not in the list', { calls: [asked] })
    : conclude('could not tell', 'no such id could be made');
}

async function probeMalformed(session: ProbeSession): Promise<Finding> {
  const { idPrefix, name } = session.resource;
  const conclude = claimAt('malformed id', 'an id of another form is not found', ['resources', name, 'id']);
  if (session.failedClaims.has('missing id')) return conclude('could not tell', 'nor is any other');
  let asked = 0;
  for (const tail of HOSTILE_SUFFIXES) {
    const exchange = await session.ask(`${idPrefix}_${tail}`);
    if (exchange === undefined) continue;
    asked += 1;
    if (exchange.problem === undefined) continue;
    return conclude('differs', describeExchange(exchange), {
      calls: [exchange.request],
      hint: "id: { form: '…' }, a regular expression for all of a native id, or a rule that says not_found",
    });
  }
  return asked === 0
    ? conclude('agrees', 'none is ever asked for')
    : conclude('agrees', `${counted(asked, 'odd id')} asked for`);
}

/** Probes the reading of single records. */
export function recordProbes(session: ProbeSession, sample: ProbeWalk): readonly Probe[] {
  if (session.get === undefined) return [];
  return [
    { name: 'get', run: () => probeExisting(session, sample) },
    { name: 'missing id', run: () => probeMissing(session, sample) },
    { name: 'malformed id', run: () => probeMalformed(session) },
  ];
}
