// Checks that the values of a filtered field have the JSON types that the filter states (`types`): the gateway in each reply
// (`brokenTypes`), `doctor` and `infer` in a sample (`checkTypes`).

import type { OtherType } from '../adapter/map/certified-types.ts';
import type { JsonType } from '../../kernel/json/values.ts';
import { plural } from '../../kernel/plural.ts';
import { type ClaimContradicted, contradicted, type Evidence } from './claim.ts';
import { listPlace } from './evidence/ask.ts';
import { type Change, concludeAt, type Finding } from './evidence/finding.ts';
import { changeText } from './evidence/spec-change.ts';
import type { DeclaredFilter } from './filter.ts';

/**
 * The claims of filters that do not state the JSON type of a value that came. One reply proves it, because the source may compare
 * this row in another way than Portico.
 */
export function brokenTypes(otherTypes: readonly OtherType[]): readonly ClaimContradicted[] {
  return otherTypes.map(({ capability, field, type }) =>
    contradicted(
      capability,
      `a row came whose ${field} is of the JSON type ${type}, which \`types\` does not name`,
    ),
  );
}

/** How many rows of the sample have a value of each JSON type, and in how many of these rows Portico can read the value. */
function countTypes({ ask, sample }: Evidence, field: string) {
  const typeOf = ask.types.get(field);
  const counts = new Map<JsonType, { rows: number; readable: number }>();
  for (const record of sample.records) {
    const type = typeOf?.get(record.id);
    if (type === undefined) continue;
    const count = counts.get(type) ?? { rows: 0, readable: 0 };
    count.rows += 1;
    if ((record[field] ?? null) !== null) count.readable += 1;
    counts.set(type, count);
  }
  return counts;
}

/** Checks that the rows have the types that a filter states; `undefined` if no type was seen. */
export function checkTypes(
  evidence: Evidence,
  { field, op, spec }: DeclaredFilter,
  without: Change,
): Finding | undefined {
  const { ask } = evidence;
  const counts = countTypes(evidence, field);
  // CSV and XML have only texts.
  if (counts.size === 0 || ask.spec.decode.format === 'csv' || ask.spec.decode.format === 'xml')
    return undefined;
  const place = listPlace(ask, 'filters', field, op);
  const claim = `every ${field} is of a type that the filter was certified for`;
  const conclude = concludeAt(`filter ${field} ${op} types`, claim, place);
  const text = [...counts].map(([type, { rows }]) => `${type} in ${plural(rows, 'row')}`).join(', ');
  const types = [...counts].flatMap(([type, { readable }]) => (readable > 0 ? [type] : []));
  const change = (value: readonly JsonType[]) => ({ at: [...place, 'types'], value });
  if (spec.types === undefined) {
    const finding = conclude('noted', `${text}; rows of other types may be left out, and nobody sees it`);
    return types.length < counts.size
      ? finding
      : { ...finding, hint: changeText(change(types)), changes: [change(types)] };
  }
  const { types: certified } = spec;
  const others = [...counts.keys()].filter((type) => !certified.includes(type));
  if (others.length > 0) {
    const isReadable = others.every((type) => types.includes(type));
    const wider: Change = { sets: [change([...certified, ...others])] };
    return conclude('differs', text, { tries: [...(isReadable ? [wider] : []), without] });
  }
  const untold = certified.filter((type) => !types.includes(type));
  return untold.length === 0
    ? conclude('agrees', text)
    : conclude('could not tell', `${text}, but no row whose ${field} can be read as ${untold.join(' or ')}`);
}
