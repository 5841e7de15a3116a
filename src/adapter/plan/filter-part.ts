import type { FilterSpec } from '../../config/schema/source.ts';
import { canEscape, escapes } from '../request/escape.ts';
import type { RequestPart } from '../request/combine-parts.ts';
import { compileJsonTree } from '../request/request-body.ts';
import { compileTarget } from '../request/request.ts';
import { compileQuery, compileText, percentEncode } from '../request/template.ts';

/** Sources refuse requests that are too long (many take 8 kB of address), so a longer condition is left to us. */
const PART_LENGTH_MAX = 2_000;

function lengthOf({ query, expr, item, path = '', named }: RequestPart): number {
  const condition = expr === undefined ? 0 : percentEncode(expr).length;
  const tree = item === undefined ? 0 : JSON.stringify(item).length;
  const values = named === undefined ? 0 : percentEncode(Object.values(named).join('')).length;
  return query.join('&').length + condition + tree + path.length + values;
}

/** Numbers of so many digits stay apart where a source keeps them as doubles (IEEE 754), and fit its integers. */
const DIGITS_MAX = 15;

/** A bound as it is sent; `undefined` where a source may take it for another number, or cannot read it. */
export function boundText(number: string): string | undefined {
  const count = (text: string) => text.replaceAll(/\D/g, '').length;
  if (count(number) <= DIGITS_MAX) return number;
  let end = number.length;
  if (number.includes('.')) while (number[end - 1] === '0') end -= 1;
  const shortest = number.slice(0, end).replace(/\.$/, '');
  return count(shortest) <= DIGITS_MAX ? shortest : undefined;
}

/**
 * A text as it is sent; `undefined` where a source may take it for another one: forms, XML and padded columns lose the
 * white space around it, and a total does not show that.
 */
export function equalText(text: string): string | undefined {
  return text.trim() === text ? text : undefined;
}

/** Texts that are a number and nothing else: `007` and `1e3` are texts, and stand for other rows than 7 and 1000. */
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/** A value as a tree of JSON holds it; `undefined` where it is no number and must be one, or would lose digits. */
function treeValue(text: string, isNumber: boolean): string | number | undefined {
  if (!isNumber) return text;
  const number = Number(text);
  return NUMBER.test(text) && boundText(text) !== undefined && !String(number).includes('e')
    ? number
    : undefined;
}

/** Compiles what a filter adds to a request; the value is in the source's own form, `undefined` where it cannot be asked. */
export function compileFilterPart(spec: FilterSpec): (value: string) => RequestPart | undefined {
  const query = compileQuery(spec.query);
  const escape = spec.escape ?? 'number';
  const expr =
    spec.expr === undefined ? undefined : compileText(spec.expr, (text) => escapes[escape](text), false);
  const item = spec.item === undefined ? undefined : compileJsonTree(spec.item);
  const path = spec.path === undefined ? undefined : compileTarget(spec.path);
  const { name } = spec;
  return (value) => {
    if (expr !== undefined && !canEscape(escape, value)) return undefined;
    // A step between folders cannot be encoded away (RFC 3986, section 5.2.4).
    if (path !== undefined && (value === '.' || value === '..' || value === '')) return undefined;
    const inTree = treeValue(value, spec.escape === 'number');
    if ((item !== undefined || name !== undefined) && inTree === undefined) return undefined;
    const part: RequestPart = {
      query: query({ value }),
      expr: expr?.({ value }),
      item: item?.({ value: inTree }),
      path: path?.({ value }),
      named: name === undefined || inTree === undefined ? undefined : { [name]: inTree },
    };
    return lengthOf(part) > PART_LENGTH_MAX ? undefined : part;
  };
}
