// When a source file is compiled: finds query parameters that a list would send twice, because two filters write the same one,
// or a filter and a constant.

import type { FilterSpec, ListSpec } from '../../../config/schema/source.ts';
import { pushedOperatorsOf } from '../../../contract/pushed-operators.ts';
import type { PushableOp } from '../../../contract/query.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import { variablesOf } from '../request/text-template.ts';

/** A query parameter that a part of the list's section writes; `path` is the place of that part. */
type WrittenParameter = {
  readonly name: string;
  readonly path: readonly string[];
  readonly repeats: boolean;
};

/**
 * Whether a filter has no other problems, which are reported elsewhere: the contract has it, and its templates name only `value`.
 */
function isSound(resource: Resource, field: string, op: string, { query }: FilterSpec): boolean {
  const isKnown = resource.filters.some(
    (one) => one.field === field && pushedOperatorsOf(one).includes(op as PushableOp),
  );
  return (
    isKnown && Object.values(query).every((text) => variablesOf(text).every((name) => /^values?$/.test(name)))
  );
}

/** The parameters that pushed filters write, by the templates of their names. */
function filterParameters({ filters }: ListSpec, resource: Resource): readonly WrittenParameter[] {
  return Object.entries(filters).flatMap(([field, operators]) =>
    Object.entries(operators).flatMap(([op, filter]) => {
      const { query, exactness, repeats } = filter;
      if (exactness === 'none' || !isSound(resource, field, op, filter)) return [];
      const path = ['filters', field, op, 'query'];
      return Object.keys(query).map((name) => ({ name, path, repeats: repeats === true }));
    }),
  );
}

/** The parameters that are sent with or without a filter. */
function otherParameters({ request, total, sort }: ListSpec): readonly WrittenParameter[] {
  const named = (query: object, path: readonly string[]) =>
    Object.keys(query).map((name) => ({ name, path, repeats: false }));
  return [
    ...named(request.query, ['request', 'query']),
    ...named(total?.count?.query ?? {}, ['total', 'count', 'query']),
    // A name that contains the column is a different name for each column, so it is left out.
    ...named(sort?.query ?? {}, ['sort', 'query']).filter(({ name }) => variablesOf(name).length === 0),
  ];
}

/** Whether two filters of a field differ in the number of their values: of these two, the gateway sends only one at a time. */
const isOneWay = (one: Pick<WrittenParameter, 'path'>, other: Pick<WrittenParameter, 'path'>) =>
  one.path[1] === other.path[1] && [one, other].some(({ path }) => path[2] === 'in');

const placeText = ({ path }: WrittenParameter) => path.join('.');

/** Reports a query parameter that two parts of a list write, because most sources use only one of the two values. */
export function checkParameterConflicts(list: ListSpec, resource: Resource, here: SpecLocation): void {
  const filters = filterParameters(list, resource);
  const others = otherParameters(list);
  for (const [index, { name, path, repeats }] of filters.entries()) {
    const place = here.at(...path, name);
    const same = filters.slice(0, index).find((other) => other.name === name && !isOneWay(other, { path }));
    if (same !== undefined && !(repeats && same.repeats))
      place.report(
        `${placeText(same)} writes the parameter "${name}", too: of two values, most sources keep one`,
        'repeats: true in both filters, if the source takes the parameter twice and both values count; else put both conditions into one text: expr here, {filter} in the request, filterJoin between them; or exactness: none',
      );
    const constant = others.find((other) => other.name === name);
    if (constant !== undefined && !repeats)
      place.report(
        `${placeText(constant)} has the parameter "${name}" already: it would be sent twice`,
        'repeats: true in the filter, if the source takes it twice and both values count; else exactness: none, or a name in place of the query, and its variable in the request',
      );
  }
}
