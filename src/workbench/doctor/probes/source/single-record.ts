// Probes the view of a single record: its values, unknown ids, malformed ids, and other spellings of an id.

import { isSameValue } from '../../../../contract/order.ts';
import { INTEGER_FORMS } from '../../../../source/adapter/map/native-id.ts';
import { type Claim, claimOf, type Evidence, type EvidenceRow } from '../../../../source/checks/claim.ts';
import {
  type Ask,
  describeExchange,
  type Exchange,
  getPlace,
  idPlace,
} from '../../../../source/checks/evidence/ask.ts';
import { concludeAt, type Finding } from '../../../../source/checks/evidence/finding.ts';
import { plural } from '../../../../kernel/plural.ts';
import { pickEvenly } from '../../../../kernel/pick-evenly.ts';
import { checkRecordFields, type SingleRecord } from './fields.ts';
import { hiddenRecordsClaim } from './hidden-records.ts';
import { formAdvice, integerFormAdvice } from './id-form.ts';

/** How many records are asked for one by one. */
const RECORDS_TRIED = 12;
/** At least this many records are tried, and all of them may take this share of the calls. */
const RECORDS_SPECIAL = 4;
const CALLS_SHARE = 0.15;
/** How many ids that no record has are tried. */
const MISSING_TRIED = 3;

/** The ends of malformed and hostile ids. */
const HOSTILE_SUFFIXES = ['0', '99999999999999999999999', 'x~27~20or~20~271~27~3d~271', '~2e~2e~2fx', '-1'];

/** Chooses the first, the last, one with an unusual id, two without each field, then others from all parts of the list. */
function chooseRecords(records: readonly EvidenceRow[], max: number): readonly EvidenceRow[] {
  const odd = records.find(({ id }) => /[~.-]/.test(id));
  const complete = records.find((record) => Object.values(record).every((value) => value !== null));
  const lacking = Object.keys(records[0] ?? {}).flatMap((field) => {
    const isLacking = (one: EvidenceRow) => one[field] === null;
    return [records.find(isLacking), records.findLast(isLacking)];
  });
  const special = [records[0], odd, complete, records.at(-1), ...lacking].filter((one) => one !== undefined);
  return [...new Set([...special, ...pickEvenly(records, max)])].slice(0, max);
}

/** The fields in which two views of a record differ. */
export function otherFields(a: EvidenceRow, b: EvidenceRow, fields: readonly string[]): readonly string[] {
  return fields.filter((field) => !isSameValue(a[field] ?? null, b[field] ?? null));
}

/** Records, each twice: the second time in reverse, so that one that fails at every n-th call fails at another. */
export function recordsTwice({ ask, sample }: Evidence, max: number): readonly EvidenceRow[] {
  const affordable = Math.floor((ask.callsLeft() * CALLS_SHARE) / 2);
  const some = chooseRecords(sample.records, Math.max(RECORDS_SPECIAL, Math.min(max, affordable)));
  return [...some, ...some.toReversed()];
}

/** Checks that a record has the same values by itself as in the list, each time. What was read is added to `seen`. */
async function compareWithList(evidence: Evidence, seen: Map<string, SingleRecord>): Promise<Finding> {
  const { ask, failed } = evidence;
  const claim = 'a record is the same by itself as in the list';
  const conclude = concludeAt('get', claim, getPlace(ask));
  const shared = ask.resource.itemFields
    .map(({ name }) => name)
    .filter((name) => !failed.has(`field ${name}`));
  for (const record of recordsTwice(evidence, RECORDS_TRIED)) {
    const exchange = await ask.one(record.id);
    if (exchange === undefined) continue;
    const { problem, value, reply } = exchange;
    if (value === undefined) {
      const [what, hint] =
        problem === undefined
          ? ['a record of the list is not found', 'get.request, and the outcomes']
          : [describeExchange(exchange), 'get: the request, `item`, and the outcomes'];
      return conclude('differs', what, hint, exchange);
    }
    const others = otherFields(record, value, shared);
    const before = seen.get(record.id)?.value;
    seen.set(record.id, { value, reply });
    const changed = before === undefined ? [] : otherFields(before, value, Object.keys(value));
    const names = (others.length > 0 ? others : changed).join(', ');
    if (names !== '')
      return concludeAt('get', claim, getPlace(ask, 'map', others[0] ?? changed[0] ?? ''))(
        'differs',
        others.length > 0
          ? `other values than in the list: ${names}`
          : `other values the second time: ${names}`,
        `get.map and list.map, of ${names}`,
        exchange,
      );
  }
  return seen.size === 0
    ? conclude('could not tell', 'there are no records')
    : conclude('agrees', `${plural(seen.size, 'record')} compared, field by field`);
}

/** Checks the records of the list one by one, and then the fields that only these show. */
async function checkExisting(evidence: Evidence): Promise<readonly Finding[]> {
  const seen = new Map<string, SingleRecord>();
  const compared = await compareWithList(evidence, seen);
  return [compared, ...checkRecordFields(evidence, [...seen.values()])];
}

/** An id of the same form as another, with other digits and letters. */
function changedId(id: string, start: string, turn: number): string {
  const tail = id.slice(start.length);
  const changed = tail.replaceAll(/(?<!~)(?<!~[0-9a-f])[0-9a-f]/g, (character) => {
    const alphabet = /\d/.test(character) ? '123456789' : 'abcdef';
    return alphabet.charAt((alphabet.indexOf(character) + turn + 1) % alphabet.length);
  });
  // A large number, because it is probably not in use.
  return start + (/^\d+$/.test(tail) ? `${changed}${turn}7719283`.slice(0, 9) : changed);
}

/** Well-formed ids that no record of the sample has. */
export function missingIds(records: readonly EvidenceRow[], start: string): readonly string[] {
  const known = new Set(records.map(({ id }) => id));
  const like = records.at(-1)?.id ?? start;
  const ids = [1, 2, 3, 4, 5].map((turn) => changedId(like, start, turn)).filter((id) => !known.has(id));
  return [...new Set(ids)].slice(0, MISSING_TRIED);
}

/** Whether even a record of the list is not found by its id: then a reply to another id shows nothing. */
async function findsNothing({ ask, sample, failed }: Evidence): Promise<boolean> {
  return failed.has('get') && (await ask.one(sample.records[0]?.id ?? ''))?.value === undefined;
}

const NOTHING_FOUND = 'no record is found by its id';

async function checkMissing(evidence: Evidence): Promise<Finding> {
  const { ask, sample } = evidence;
  const conclude = concludeAt('missing id', 'an id that no record has is not found', ['outcomes']);
  if (await findsNothing(evidence)) return conclude('could not tell', NOTHING_FOUND);
  let shown: Exchange<unknown> | undefined;
  for (const id of missingIds(sample.records, ask.resource.idStart)) {
    const exchange = await ask.one(id);
    if (exchange === undefined) continue;
    const { reply, problem, value } = exchange;
    shown = exchange;
    // The record exists, so the id is not unknown.
    if (value !== undefined) continue;
    if (problem === undefined) return conclude('agrees', `HTTP ${reply.status} means not_found`);
    const outcome = ask.outcomeOf('get', reply)?.is ?? 'nothing: no rule fits';
    const sign = reply.status === 200 ? 'at: …, equals: …' : `status: ${reply.status}`;
    const observed = `${describeExchange(exchange)}; the rules say ${outcome}`;
    return conclude(
      'differs',
      observed,
      `outcomes, before others: - { on: get, ${sign}, is: not_found }`,
      exchange,
    );
  }
  return shown !== undefined && sample.complete
    ? conclude(
        'differs',
        'records came that are not in the list',
        'how the id is sent, and a rule that says not_found',
        shown,
      )
    : conclude('could not tell', 'no such id could be made');
}

async function checkMalformed(evidence: Evidence): Promise<Finding> {
  const { ask, failed } = evidence;
  const { idStart, name } = ask.resource;
  const conclude = concludeAt('malformed id', 'an id of another form is not found', idPlace(ask));
  if (failed.has('missing id')) return conclude('could not tell', 'no unknown id is answered as not found');
  if (await findsNothing(evidence)) return conclude('could not tell', NOTHING_FOUND);
  let asked = 0;
  const largest = INTEGER_FORMS.get(ask.spec.resources[name]?.id.form);
  for (const tail of [...(largest === undefined ? [] : [String(largest)]), ...HOSTILE_SUFFIXES]) {
    const exchange = await ask.one(`${idStart}${tail}`);
    if (exchange === undefined) continue;
    asked += 1;
    if (exchange.problem === undefined) continue;
    const isTooLarge = /^\d{2,}$/.test(tail);
    const advice = (isTooLarge ? await integerFormAdvice(evidence) : undefined) ?? formAdvice(evidence);
    return conclude('differs', describeExchange(exchange), advice, exchange);
  }
  return conclude('agrees', asked === 0 ? 'none is ever asked for' : `${plural(asked, 'odd id')} asked for`);
}

/** Other spellings of an id that a service may accept for the same record, each with the name of the change. */
function foldedIds(start: string, id: string): readonly (readonly [string, string])[] {
  const tail = id.slice(start.length);
  const upper = tail.toUpperCase();
  const other = upper === tail ? tail.toLowerCase() : upper;
  return [
    ...(other === tail || tail.includes('~') ? [] : [['another case', `${start}${other}`] as const]),
    ['a trailing blank', `${id}~20`],
    ['a trailing |', `${id}~7c`],
    ['a leading 0', `${start}0${tail}`],
    ['the alias me', `${start}me`],
  ];
}

/** Checks that the source does not accept another spelling of the id of a record. */
async function checkFolded(evidence: Evidence): Promise<Finding | undefined> {
  const { ask, sample, failed } = evidence;
  const { idStart } = ask.resource;
  const hasLetter = (record: { readonly id: string }) => /[A-Za-z]/.test(record.id.slice(idStart.length));
  const id = (sample.records.find(hasLetter) ?? sample.records[0])?.id;
  if (id === undefined || failed.has('missing id') || failed.has('get')) return undefined;
  const conclude = concludeAt('folded id', 'an id in another spelling is not found', idPlace(ask));
  const known = new Set(sample.records.map((record) => record.id));
  const folded: string[] = [];
  let asked = 0;
  for (const [how, spelling] of foldedIds(idStart, id)) {
    const exchange = known.has(spelling) ? undefined : await ask.one(spelling);
    if (exchange === undefined) continue;
    asked += 1;
    if (exchange.value !== undefined && sample.complete)
      return conclude(
        'differs',
        `with ${how}, a record comes that says to have this id, and that the list does not have`,
        formAdvice(evidence),
        exchange,
      );
    if (exchange.problem?.reason === 'other_record') folded.push(how);
  }
  if (folded.length > 0)
    return conclude(
      'noted',
      `with ${folded.join(', ')}, another record comes, which is not served`,
      formAdvice(evidence),
    );
  return asked === 0 ? undefined : conclude('agrees', `${plural(asked, 'spelling')} asked for`);
}

/** The claims of the single view. */
export function recordClaims({ get }: Ask): readonly Claim[] {
  if (get === undefined) return [];
  return [
    claimOf('get', checkExisting),
    claimOf('missing id', checkMissing),
    claimOf('malformed id', checkMalformed),
    claimOf('folded id', checkFolded),
    hiddenRecordsClaim,
  ];
}
