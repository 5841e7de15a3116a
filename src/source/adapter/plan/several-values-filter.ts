// Compiles what a filter by one of several values (the operator `in`) adds to the request of a list.

import type { FieldKind } from '../../../contract/fields.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import type { PushableOp } from '../../../contract/query.ts';
import type { FilterSpec } from '../../../config/schema/source.ts';
import type { RequestPart } from '../request/combine-parts.ts';
import { checkJsonTree, compileJsonTree } from '../request/request-body.ts';
import {
  checkQuery,
  checkTemplate,
  compileQuery,
  compileText,
  variablesOf,
} from '../request/text-template.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { compileFilterPart, ifShort } from './filter-part.ts';
import { NO_MATCH } from './inverse.ts';

/** The most values of one request, if the file does not say. */
const VALUES_MAX = 50;

/** Refuses what a filter by several values cannot send as it is meant, and what only such a filter has. */
export function checkSeveral(op: PushableOp, spec: FilterSpec, here: SpecLocation): void {
  const { query, expr = '', item, path, name, separator, max, repeats } = spec;
  if (op !== 'in') {
    if ((separator ?? max) !== undefined)
      here.report(`separator and max are for several values, and ${op} has one`, 'an entry `in` beside it');
    return;
  }
  checkQuery(query, ['value', 'values'], here.at('query'));
  checkTemplate(expr, ['values'], here.at('expr'));
  checkJsonTree(item, ['values'], here.at('item'));
  const only = path === undefined ? 'name' : 'path';
  if ((path ?? name) !== undefined)
    here.at(only).report(`several values have no ${only}`, 'query, expr or item; or exactness: none');
  // A list as a part of a longer text would be joined without a look at the separator.
  const rest = JSON.stringify(item ?? '').replaceAll(/"\{values\}"(?!:)/g, '');
  if (variablesOf(rest).includes('values'))
    here.at('item').report('{values} is a list here, and no part of a text', "a text of its own: '{values}'");
  const named = variablesOf(JSON.stringify([query, expr]));
  if (separator !== undefined && named.includes('value') && !named.includes('values'))
    here
      .at('separator')
      .report('nothing is joined: no text names {values}', "remove it, or query: { name: '{values}' }");
  if (repeats === true && named.includes('value'))
    here
      .at('repeats')
      .report(
        'a parameter that is sent once for each value asks for any of them, and with repeats for all',
        "remove it, or join the values: '{values}'",
      );
}

/**
 * Compiles the request part of a filter by several values. Each becomes a value of the source by `nativeOf`, and is
 * guarded and escaped like the only value of a filter. Values that no record can have are left out.
 */
export function compileSeveralPart(
  spec: FilterSpec,
  kind: FieldKind,
  nativeOf: (value: KnownValue) => string | typeof NO_MATCH | undefined,
): (values: readonly KnownValue[]) => RequestPart | typeof NO_MATCH | undefined {
  const { separator = ',', max = VALUES_MAX } = spec;
  const texts = Object.entries(spec.query);
  const ofEach = texts.filter((one) => variablesOf(one.join(' ')).includes('value'));
  const query = compileQuery(Object.fromEntries(texts.filter((one) => !ofEach.includes(one))));
  const expr = spec.expr === undefined ? undefined : compileText(spec.expr, (text) => text, false);
  const item = spec.item === undefined ? undefined : compileJsonTree(spec.item);
  const partOf = compileFilterPart(
    {
      ...spec,
      query: Object.fromEntries(ofEach),
      expr: expr && '{value}',
      item: item && '{value}',
    },
    kind,
  );
  const isJoined = variablesOf(JSON.stringify([spec.query, spec.expr])).includes('values');
  // A source that splits at a comma may drop the blank behind it.
  const mark = separator.trim() || separator;
  return (values) => {
    const natives = new Set(values.map(nativeOf));
    natives.delete(NO_MATCH);
    if (natives.size === 0) return NO_MATCH;
    if (natives.size > max) return undefined;
    const parts: RequestPart[] = [];
    for (const native of natives) {
      // An empty value may mean no filter.
      if (typeof native !== 'string' || native === '' || (isJoined && native.includes(mark)))
        return undefined;
      const part = partOf(native);
      if (part === undefined) return undefined;
      parts.push(part);
    }
    return ifShort({
      query: [
        ...query({ values: [...natives].map(String).join(separator) }),
        ...parts.flatMap((one) => one.query),
      ],
      expr: expr?.({ values: parts.map((one) => one.expr).join(separator) }),
      item: item?.({ values: parts.map((one) => one.item) }),
    });
  };
}
