// Probes whether a list ends where the last reply ends it, or was cut off, so that records of the service are missing.

import { compilePath } from '../../../source/adapter/spec/path.ts';
import { explainReplies } from '../../../source/adapter/read/explain-reply.ts';
import type { ListSpec } from '../../../config/schema/source.ts';
import { type Json, NumberText } from '../../../kernel/json/json.ts';
import { isObject } from '../../../kernel/json/values.ts';
import { claimOf, type Evidence } from '../../../source/checks/claim.ts';
import {
  type Ask,
  idsOf,
  isNumbered,
  listPlace,
  rowsAt,
  sizeOf,
} from '../../../source/checks/evidence/ask.ts';
import { concludeAt, type Findings, setting } from '../../../source/checks/evidence/finding.ts';
import { type PlacedValue, valuesIn } from '../../../source/checks/evidence/document-leaves.ts';
import { plural } from '../../../kernel/plural.ts';

/** Names of keys by which sources say that there are more rows, or what to send for them. */
const CONTINUES =
  /^(?:@odata\.|odata\.|@|\$)?(?:next.*|(?:start|end)?_?cursor|continue|continuation.*|(?:is_?)?(?:has_?)?more(?:_?(?:results|records|items|data|pages))?|has_?next.*|.*page_?token|scroll_?id|bookmark|last_?evaluated_?key|truncated|is_?truncated)$/i;

/** Whether the value of such a key means that there are no more rows. */
function saysEnd(value: Json): boolean {
  if (value === null || value === false || value === '' || value === 0 || value === 'false') return true;
  if (value instanceof NumberText) return value.text === '0';
  return typeof value === 'object' && Object.keys(value).length === 0;
}

/** Whether the last key of a place says that there are more rows. */
const isSign = ({ keys }: PlacedValue) => CONTINUES.test(keys.at(-1) ?? '');

/** How many keys deep signs are looked for. */
const DEPTH_MAX = 3;

/** The paths that the file reads already. They do not point to unread rows. */
function pathsRead({ window, total, items }: ListSpec): readonly string[] {
  const next = 'next' in window ? window.next : '';
  // A next window that a header names has no path.
  const nextPath = typeof next === 'string' ? next : 'at' in next ? next.at : '';
  return [nextPath, total?.at ?? '', typeof items === 'string' ? items : items.at].filter(
    (path) => path !== '',
  );
}

/** What in the last reply says that there are more rows, in words with the key; `undefined` if nothing does. */
function signOfMore({ ask, sample }: Evidence): string | undefined {
  const last = sample.steps.at(-1)?.exchange.reply;
  if (last === undefined) return undefined;
  const link = 'next' in ask.list.window ? undefined : last.header('link');
  if (link !== undefined && /rel="?next/i.test(link)) return 'its header Link names a next window';
  const body = explainReplies(ask.spec, ask.resource, 'list')?.body(last);
  if (body === undefined || Array.isArray(body)) return undefined;
  const read = pathsRead(ask.list);
  const rows = read.flatMap((path) => (compilePath(path)(body) === undefined ? [] : [path]));
  const isRead = ({ path }: PlacedValue) =>
    rows.some((one) => path === one || one.startsWith(`${path}.`) || path.startsWith(`${one}.`));
  const isEntered = (one: PlacedValue) => isObject(one.value) && one.keys.length < DEPTH_MAX && !isSign(one);
  const found = valuesIn(body, isEntered).find((one) => isSign(one) && !saysEnd(one.value) && !isRead(one));
  return found === undefined ? undefined : `its key ${found.path} says that there is more`;
}

/** A constant parameter of the request whose value is the number of rows that came: name and value. */
function constantLike({ list }: Ask, rows: number): readonly [string, string] | undefined {
  const text = String(rows);
  return Object.entries(list.request.query).find(([, value]) => value === text);
}

const GOES_ON = 'window: offset, page, cursor or link, with the parameter that goes on';

/** What to write for a list that lacks records of the service. */
export const WHOLE_LIST = `${GOES_ON}; or a constant parameter that lists all rows`;

/** What to write for a list of which only a part was read. */
const PAGING = `${GOES_ON}, in place of a constant; \`portico infer\` tries them`;

/** Checks a list that came in one call. If it has as many rows as a constant of the request says, there may be more. */
async function checkConstant({ ask, sample, first }: Evidence): Promise<Findings> {
  const rows = sample.received;
  const constant = rows === 0 ? undefined : constantLike(ask, rows);
  if (constant === undefined) return undefined;
  const [name] = constant;
  const conclude = concludeAt('all rows', 'one call returns all rows', listPlace(ask, 'window'));
  const observed = `${plural(rows, 'row')}, just as many as the constant ${name} asks for`;
  const raised = String(rows * 2);
  const more = await rowsAt(ask, 0, Infinity, { query: { [name]: raised } });
  const isAll = more.value?.received === rows;
  // A constant that does not bring as many rows as the total says is no way to the others.
  const isWay = !isAll && (more.value?.received ?? 0) >= (first.value.total ?? 0);
  return conclude(
    'differs',
    isAll
      ? `${observed}, and no more where ${raised} are asked for`
      : `${observed}; with ${raised}, ${more.value?.received ?? 'no'} rows come`,
    {
      ...(isWay && setting(listPlace(ask, 'request', 'query', name), raised)),
      otherwise: isAll ? `${PAGING}; or a constant that is larger than the list can become` : PAGING,
    },
    first,
  );
}

/** Checks a walk that ended with its first window although this is full: a smaller window must name a next one. */
async function checkFullWindow({ ask, first, sample }: Evidence): Promise<Findings> {
  const size = sizeOf(ask.list);
  const { received, total, next } = first.value;
  if (sample.steps.length !== 1 || next !== undefined || received < size || total === received || size < 2)
    return undefined;
  const smaller = await rowsAt(ask, 0, size - 1);
  const isShorter = smaller.value?.received === size - 1;
  if (smaller.value?.next !== undefined || !isShorter || idsOf(smaller).length === 0) return undefined;
  const conclude = concludeAt(
    'all rows',
    'the last window names no next one',
    listPlace(ask, 'window', 'next'),
  );
  return conclude(
    'differs',
    `${plural(received, 'row')}, as many as a window asks for, and with ${size - 1} asked for, no next window is named either`,
    'window.next: where the name of the next window stands',
    smaller,
  );
}

/** The claim that the list was not cut off where the walk ended. Numbered windows are read past the end anyway. */
export const wholeListClaim = claimOf('all rows', async (evidence) => {
  const { ask, sample } = evidence;
  const { window } = ask.list;
  const { kind } = window;
  if (!sample.complete || isNumbered(window)) return undefined;
  const sign = kind === 'keyset' ? undefined : signOfMore(evidence);
  const last = sample.steps.at(-1)?.exchange;
  if (sign !== undefined)
    return concludeAt('all rows', 'the last reply ends the list', listPlace(ask, 'window'))(
      'differs',
      `${plural(sample.received, 'row')} came, and of the last reply, ${sign}`,
      `${PAGING}; an object of parameters to be sent back is window: { kind: continue }`,
      last,
    );
  if (kind === 'none') return checkConstant(evidence);
  return kind === 'keyset' ? undefined : checkFullWindow(evidence);
});
