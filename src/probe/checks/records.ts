import type { CanonicalRecord } from '../../contract/document.ts';
import type { Value } from '../../contract/fields.ts';
import { Decimal } from '../../kernel/decimal.ts';
import type { UpstreamRequest } from '../../kernel/upstream-call.ts';
import { type Examination, heardText } from '../session/probe-session.ts';
import { claimed, counted, type Finding, type Probe } from '../session/finding.ts';
import type { Walk } from '../session/walk.ts';

/** Records that are asked for one by one. */
const RECORDS_TRIED = 4;
const MISSING_TRIED = 3;

/** Ids of clients with nothing better to do. */
const ODD_TAILS = ['0', '99999999999999999999999', 'x~27~20or~20~271~27~3d~271', '~2e~2e~2fx', '-1'];

function getPlace({ resource }: Examination, ...keys: readonly PropertyKey[]): readonly PropertyKey[] {
  return ['resources', resource.name, 'get', ...keys];
}

function isEqual(left: Value, right: Value): boolean {
  if (left instanceof Decimal && right instanceof Decimal) return left.compare(right) === 0;
  return left === right;
}

/** The first, the last, and those with the most peculiar ids. */
function chosen(records: readonly CanonicalRecord[]): readonly CanonicalRecord[] {
  const odd = records.find(({ id }) => /[~.-]/.test(id));
  const complete = records.find((record) => Object.values(record).every((value) => value !== null));
  const all = [records[0], odd, complete, records.at(-1)].filter((record) => record !== undefined);
  return [...new Set(all)].slice(0, RECORDS_TRIED);
}

/** Whether a record has the same values by itself as in the list. */
async function probeExisting(examination: Examination, { records }: Walk): Promise<Finding> {
  const tell = claimed('get', 'a record is the same by itself as in the list', getPlace(examination));
  const shared = examination.resource.itemFields
    .map(({ name }) => name)
    .filter((name) => !examination.doubts.has(`field ${name}`));
  let compared = 0;
  for (const record of chosen(records)) {
    const heard = await examination.ask(record.id);
    if (heard === undefined) continue;
    const calls = [heard.request];
    if (heard.problem !== undefined)
      return tell('differs', heardText(heard), { calls, hint: 'get: the request, `item`, and the outcomes' });
    if (heard.value === undefined)
      return tell('differs', 'a record of the list is not found', {
        calls,
        hint: 'get.request, and the outcomes',
      });
    const { value } = heard;
    const other = shared.filter((field) => !isEqual(record[field] ?? null, value[field] ?? null));
    if (other.length > 0)
      return claimed(
        'get',
        'a record is the same by itself as in the list',
        getPlace(examination, 'map', other[0] ?? ''),
      )('differs', `other values than in the list: ${other.join(', ')}`, {
        calls,
        hint: `get.map and list.map, of ${other.join(', ')}`,
      });
    compared += 1;
  }
  return compared === 0
    ? tell('could not tell', 'there are no records')
    : tell('agrees', `${counted(compared, 'record')} compared, field by field`);
}

/** An id of the same form as another, with other digits and letters. */
function changedId(id: string, turn: number): string {
  const start = id.indexOf('_') + 1;
  const [prefix, tail] = [id.slice(0, start), id.slice(start)];
  const changed = tail.replaceAll(/(?<!~)(?<!~[0-9a-f])[0-9a-f]/g, (character) => {
    const alphabet = /\d/.test(character) ? '123456789' : 'abcdef';
    return alphabet.charAt((alphabet.indexOf(character) + turn + 1) % alphabet.length);
  });
  // Of numbers, one so large that it is hardly given yet.
  return prefix + (/^\d+$/.test(tail) ? `${changed}${turn}7719283`.slice(0, 9) : changed);
}

/** Ids that no record has, as far as anybody knows, but could have. */
function missingIds(records: readonly CanonicalRecord[]): readonly string[] {
  const known = new Set(records.map(({ id }) => id));
  const like = records.at(-1)?.id ?? '_';
  const ids = [1, 2, 3, 4, 5].map((turn) => changedId(like, turn)).filter((id) => !known.has(id));
  return [...new Set(ids)].slice(0, MISSING_TRIED);
}

async function probeMissing(examination: Examination, { records, complete }: Walk): Promise<Finding> {
  const tell = claimed('missing id', 'an id that no record has is not found', ['outcomes']);
  let asked: UpstreamRequest | undefined;
  for (const id of missingIds(records)) {
    const heard = await examination.ask(id);
    if (heard === undefined) continue;
    const { reply, problem, value, request } = heard;
    asked = request;
    // There is such a record, after all: only the one that was asked for is taken.
    if (value !== undefined) continue;
    if (problem === undefined) return tell('agrees', `HTTP ${reply.status} means not_found`);
    const outcome = examination.outcomeOf('get', reply)?.is ?? 'nothing: no rule fits';
    const sign = reply.status === 200 ? 'at: …, equals: …' : `status: ${reply.status}`;
    return tell('differs', `${heardText(heard)}; the rules say ${outcome}`, {
      calls: [request],
      hint: `outcomes, before others: - { on: get, ${sign}, is: not_found }`,
    });
  }
  return asked !== undefined && complete
    ? tell('differs', 'records came that are not in the list', { calls: [asked] })
    : tell('could not tell', 'no such id could be made');
}

async function probeMalformed(examination: Examination): Promise<Finding> {
  const { idPrefix, name } = examination.resource;
  const tell = claimed('malformed id', 'an id of another form is not found', ['resources', name, 'id']);
  if (examination.doubts.has('missing id')) return tell('could not tell', 'nor is any other');
  let asked = 0;
  for (const tail of ODD_TAILS) {
    const heard = await examination.ask(`${idPrefix}_${tail}`);
    if (heard === undefined) continue;
    asked += 1;
    if (heard.problem === undefined) continue;
    return tell('differs', heardText(heard), {
      calls: [heard.request],
      hint: "id: { form: '…' }, a regular expression for all of a native id, or a rule that says not_found",
    });
  }
  return asked === 0
    ? tell('agrees', 'none is ever asked for')
    : tell('agrees', `${counted(asked, 'odd id')} asked for`);
}

/** Probes the reading of single records. */
export function recordProbes(examination: Examination, sample: Walk): readonly Probe[] {
  if (examination.get === undefined) return [];
  return [
    { name: 'get', run: () => probeExisting(examination, sample) },
    { name: 'missing id', run: () => probeMissing(examination, sample) },
    { name: 'malformed id', run: () => probeMalformed(examination) },
  ];
}
