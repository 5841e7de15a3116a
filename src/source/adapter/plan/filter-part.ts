// Compiles what one pushed filter adds to the request of a list, and refuses values that a source may misread.

import type { FieldKind } from '../../../contract/fields.ts';
import type { FilterSpec } from '../../../config/schema/source.ts';
import { canEscape, escapes } from '../request/escape.ts';
import type { RequestPart } from '../request/combine-parts.ts';
import { compileJsonTree } from '../request/request-body.ts';
import { compileTarget, namesDirectory } from '../request/request.ts';
import { compileQuery, compileText, percentEncode } from '../request/text-template.ts';

/** Sources refuse long requests (many accept 8 kB of address), so a longer condition is left to the gateway. */
const PART_LENGTH_MAX = 2_000;

/** The part, if it is short enough to be sent. */
export function ifShort(part: RequestPart): RequestPart | undefined {
  const { query, expr, item, path = '', named } = part;
  const condition = expr === undefined ? 0 : percentEncode(expr).length;
  const tree = item === undefined ? 0 : JSON.stringify(item).length;
  const values = named === undefined ? 0 : percentEncode(Object.values(named).join('')).length;
  const length = query.join('&').length + condition + tree + path.length + values;
  return length > PART_LENGTH_MAX ? undefined : part;
}

/** Numbers with more digits could collide in a source that stores doubles (IEEE 754), or overflow its integers. */
const DIGITS_MAX = 15;

/** The text to send for a numeric bound; `undefined` if a source may round it or cannot read it. */
export function boundText(number: string): string | undefined {
  const count = (text: string) => text.replaceAll(/\D/g, '').length;
  if (count(number) <= DIGITS_MAX) return number;
  let end = number.length;
  if (number.includes('.')) while (number[end - 1] === '0') end -= 1;
  const shortest = number.slice(0, end).replace(/\.$/, '');
  return count(shortest) <= DIGITS_MAX ? shortest : undefined;
}

/**
 * The text to send for a value; `undefined` if a source may change it. Forms, XML and padded columns drop the white space around
 * a value, and a total would not reveal that.
 */
export function equalText(text: string): string | undefined {
  return text.trim() === text ? text : undefined;
}

/** Numbers in their only spelling, because `007` and `1e3` would find other rows than 7 and 1000. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** Values that query languages write without quotes, apart from numbers. */
const BARE: Readonly<Partial<Record<FieldKind, RegExp>>> = {
  boolean: /^(?:true|false)$/,
  datetime: /^\d{4}-\d{2}-\d{2}T[\d:.]{8,12}Z$/,
  date: /^\d{4}-\d{2}-\d{2}$/,
};

/** A value for a JSON tree; `undefined` if it must be a number and is none, or would lose digits. */
function treeValue(text: string, isNumber: boolean, kind: FieldKind): string | number | boolean | undefined {
  if (!isNumber) return text;
  if (kind === 'boolean' && (text === 'true' || text === 'false')) return text === 'true';
  const number = Number(text);
  return NUMBER.test(text) && boundText(text) !== undefined && !String(number).includes('e')
    ? number
    : undefined;
}

/** Compiles the request part of a filter for a value of the source; `undefined` if the source cannot be asked for the value. */
export function compileFilterPart(
  spec: FilterSpec,
  kind: FieldKind,
): (value: string) => RequestPart | undefined {
  const query = compileQuery(spec.query);
  const escape = spec.escape ?? 'number';
  const expr =
    spec.expr === undefined ? undefined : compileText(spec.expr, (text) => escapes[escape](text), false);
  const item = spec.item === undefined ? undefined : compileJsonTree(spec.item);
  const path = spec.path === undefined ? undefined : compileTarget(spec.path);
  const { name } = spec;
  return (value) => {
    const isBare = escape === 'number' && BARE[kind]?.test(value) === true;
    if (expr !== undefined && !isBare && !canEscape(escape, value)) return undefined;
    if (path !== undefined && (value === '' || namesDirectory(value))) return undefined;
    const inTree = treeValue(value, spec.escape === 'number', kind);
    if ((item !== undefined || name !== undefined) && inTree === undefined) return undefined;
    return ifShort({
      query: query({ value }),
      expr: expr?.({ value }),
      item: item?.({ value: inTree }),
      path: path?.({ value }),
      named: name === undefined || inTree === undefined ? undefined : { [name]: inTree },
    });
  };
}
