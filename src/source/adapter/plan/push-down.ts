// Compiles the filters and sorts of a source file that the source itself can apply ("push-down").

import type { CoercionSpec, FilterSpec, ListSpec } from '../../../config/schema/source.ts';
import type { PushableOp } from '../../../contract/query.ts';
import type { Field } from '../../../contract/fields.ts';
import type { KnownValue } from '../../../contract/list-value.ts';
import { pushedOperatorsOf } from '../../../contract/pushed-operators.ts';
import type { Resource } from '../../../contract/resource.ts';
import type { Capability } from '../spec/capability.ts';
import { hasControl } from '../../../kernel/control-characters.ts';
import { Decimal } from '../../../kernel/decimal.ts';
import type { IdCodec } from '../map/native-id.ts';
import { boundText, compileFilterPart, equalText } from './filter-part.ts';
import { checkSeveral, compileSeveralPart } from './several-values-filter.ts';
import { invertCoercion, isCutOff, NO_MATCH, NO_MATCH_LABEL, noMatchNative } from './inverse.ts';
import type { SpecLocation } from '../spec/spec-location.ts';
import type { RequestPart } from '../request/combine-parts.ts';
import { checkJsonTree, compileJsonTree } from '../request/request-body.ts';
import {
  checkQuery,
  checkTemplate,
  compileQuery,
  compileText,
  variablesOf,
} from '../request/text-template.ts';

/** A filter that the source can apply. */
export type FilterPush = {
  readonly exact: boolean;
  /** Whether it can be combined with other filters although it has a path of its own. */
  readonly combines: boolean;
  /** Whether the source accepts the filter's query parameters more than once and uses every value. */
  readonly repeats: boolean;
  readonly capability: Capability;
  /** The part of a request; `NO_MATCH` if no record can match, `undefined` if the source cannot be asked for the value. */
  part(value: KnownValue | readonly KnownValue[]): RequestPart | typeof NO_MATCH | undefined;
};

/** A sort that the source can apply. */
export type SortPush = { readonly part: RequestPart; readonly capability: Capability };

type Templates = {
  readonly query: Readonly<Record<string, string>>;
  readonly expr?: string | undefined;
  readonly item?: unknown;
};

/** The part of a sort that sends nothing. */
const NO_PART: RequestPart = { query: [] };

function checkTemplates(
  { query, expr, item }: Templates,
  allowed: readonly string[],
  here: SpecLocation,
): void {
  checkQuery(query, allowed, here.at('query'));
  if (expr !== undefined) checkTemplate(expr, allowed, here.at('expr'));
  checkJsonTree(item, allowed, here.at('item'));
}

/** Compiles the filters that a source applies exactly, or so that it returns a superset. The keys are `<field>.<op>`. */
export function compileFilters(
  spec: ListSpec,
  resource: Resource,
  codec: IdCodec,
  here: SpecLocation,
): ReadonlyMap<string, FilterPush> {
  const pushes = new Map<string, FilterPush>();
  for (const [field, operators] of Object.entries(spec.filters)) {
    for (const [op, filter] of Object.entries(operators)) {
      const declared = { field, op: op as PushableOp, filter };
      const push = compileFilter(spec, resource, codec, declared, here.at('filters', field, op));
      if (push !== undefined) pushes.set(`${field}.${op}`, push);
    }
  }
  return pushes;
}

/** The codec of the ids that a field has; `undefined` if the field has no ids. */
function idsOf({ kind, to }: Field, codec: IdCodec): IdCodec | undefined {
  return kind === 'id' ? codec : to === undefined ? undefined : codec.references?.get(to);
}

/** A filter of the source file. */
type DeclaredFilter = { readonly field: string; readonly op: PushableOp; readonly filter: FilterSpec };

/** Reports an `exactness` that the steps of the field do not allow. */
function checkExactness(
  { field, op, filter: { exactness, wholeMs } }: DeclaredFilter,
  steps: readonly CoercionSpec[],
  isExact: boolean,
  here: SpecLocation,
): void {
  if (isCutOff(steps, op, wholeMs)) {
    if (op === 'eq' || exactness === 'exact')
      here.report(
        `the contract cuts off what is finer than a millisecond, so ${op} would miss rows with finer times`,
        `wholeMs: true beside it, if the source has none; or exactness: ${op === 'eq' ? 'none' : 'superset'}`,
      );
  } else if (exactness === 'exact' && !isExact)
    here.report(`the steps that read ${field} reject values that the source matches`, 'exactness: superset');
}

/** Compiles one filter; `undefined` if the file does not want it sent, or if it cannot be sent, which is reported. */
function compileFilter(
  spec: ListSpec,
  resource: Resource,
  codec: IdCodec,
  { field, op, filter }: DeclaredFilter,
  here: SpecLocation,
): FilterPush | undefined {
  const known = new Set(
    resource.filters.flatMap((one) => pushedOperatorsOf(one).map((push) => `${one.field}.${push}`)),
  );
  if (!known.has(`${field}.${op}`)) {
    const hint = `filters: ${[...known].join(', ') || 'none'}; to add one, write it into the contract first`;
    here.report(`the contract has no filter ${op} on ${field}`, hint);
    return undefined;
  }
  checkSeveral(op, filter, here);
  if (op !== 'in') checkTemplates(filter, ['value'], here);
  if (filter.exactness === 'none') return undefined;
  if (filter.expr !== undefined && filter.escape === undefined)
    here
      .at('expr')
      .report(
        'the expression does not say how {value} is escaped',
        'escape: odata, sql, json, soql, lucene, double_quotes, single_quotes, servicenow or number',
      );
  if (filter.path !== undefined) {
    checkTemplate(filter.path, ['value'], here.at('path'));
    if (spec.window.kind === 'link')
      here.at('path').report('links are followed from the path of the list', 'say exactness: none');
  }
  const { expr, item, path, name } = filter;
  if (Object.keys(filter.query).length === 0 && (expr ?? item ?? path ?? name) === undefined) {
    here.report(
      'the filter sends nothing',
      'give it query, name, expr, item or path, or say exactness: none',
    );
  }
  const steps = spec.map[field]?.as ?? [];
  const declared = resource.itemFields.find(({ name }) => name === field);
  const ids = declared && idsOf(declared, codec);
  const singleOp = op === 'in' ? 'eq' : op;
  const inverse = declared && invertCoercion(steps, singleOp, declared, ids, filter.wholeMs);
  if (declared === undefined || inverse === undefined) {
    here.report(
      ids?.isWithinText === true
        ? `${field} is found within other text by \`id.pattern\`, so a value of this filter cannot be sent`
        : `the steps that read ${field} cannot be inverted, so a value of this filter cannot be sent`,
      'say exactness: none; steps that can be inverted are trim, text, nullIf, default, template, cents, number with a point, iso8601, epochSeconds, epochMilliseconds, and an enum with one code to each label',
    );
    return undefined;
  }
  checkExactness({ field, op, filter }, steps, inverse.exact, here.at('exactness'));
  if (op === 'eq' && isCutOff(steps, op, filter.wholeMs)) return undefined;
  const render = compileFilterPart(filter, declared.kind);
  const absent = noMatchNative(steps);
  const isCoded = steps.some((step) => typeof step === 'object' && 'enum' in step);
  const nativeOf = (value: KnownValue): string | typeof NO_MATCH | undefined => {
    // An id may be equal to this label, and only a codec knows whether the source can have this id.
    const native = value === NO_MATCH_LABEL && ids === undefined ? absent : inverse.toNative(value);
    if (native === NO_MATCH || native === undefined) return native;
    if (value instanceof Decimal || ids?.isAnyNumber === true) return boundText(native);
    if (singleOp !== 'eq') return native;
    // A source may fail at control characters, so the gateway itself looks for a label with a tab or a line break.
    if (hasControl(native)) return undefined;
    // A code in the source file is sent unchanged; any other value comes from a caller and may contain white space.
    return isCoded ? native : equalText(native);
  };
  const several = op === 'in' ? compileSeveralPart(filter, declared.kind, nativeOf) : undefined;
  return {
    exact: filter.exactness === 'exact' && !inverse.countsUnknown,
    combines: filter.combines === true,
    repeats: filter.repeats === true,
    capability: `filter.${field}.${op}`,
    part(value) {
      if (several !== undefined) return several(value as readonly KnownValue[]);
      const native = nativeOf(value as KnownValue);
      return typeof native === 'string' ? render(native) : native;
    },
  };
}

type SortSpec = NonNullable<ListSpec['sort']>;

/** Whether the templates of the sort name `{tiebreak}`. Otherwise the tiebreak is an item of its own after that of the column. */
function namesTiebreak({ query, expr, item }: SortSpec): boolean {
  return variablesOf(JSON.stringify([query, expr, item])).includes('tiebreak');
}

/** Reports a tiebreak (a second column, for rows that are equal in the first) that would not be sent. */
function checkTiebreak(sort: SortSpec, here: SpecLocation): void {
  const { tiebreak, item } = sort;
  if (tiebreak === undefined) return;
  const isText = typeof tiebreak === 'string';
  if (isText && item === undefined && !namesTiebreak(sort))
    here.report('no template of the sort names {tiebreak}', "expr: '{column} {direction}{tiebreak}'");
  if (!isText && item === undefined) here.report('a tree needs an `item`', "a text: ', id asc'");
}

/**
 * Reports a parameter of the sort that the request also has. It would be sent twice, and sources differ in which value they use.
 */
function checkTwice({ sort, request }: ListSpec, here: SpecLocation): void {
  for (const name of Object.keys(sort?.query ?? {})) {
    if (!Object.hasOwn(request.query, name)) continue;
    const hint = `sort.expr in place of sort.query, '{sort}' in the request, and what it is without a sort in sort.none`;
    here.at(name).report(`the request has the parameter "${name}" already: it would be sent twice`, hint);
  }
}

/** Compiles the sorts that a source applies in the contract's order. The keys are `<field>.<direction>`. */
export function compileSorts(
  list: ListSpec,
  resource: Resource,
  here: SpecLocation,
): ReadonlyMap<string, SortPush> {
  const { sort } = list;
  const pushes = new Map<string, SortPush>();
  if (sort === undefined) return pushes;
  checkTemplates(sort, ['column', 'direction', 'tiebreak'], here.at('sort'));
  checkTiebreak(sort, here.at('sort', 'tiebreak'));
  checkTwice(list, here.at('sort', 'query'));
  const query = compileQuery(sort.query);
  const expr = sort.expr === undefined ? undefined : compileText(sort.expr, (text) => text, false);
  const item = sort.item === undefined ? undefined : compileJsonTree(sort.item);
  const named = namesTiebreak(sort);
  for (const [field, { column, directions }] of Object.entries(sort.columns)) {
    if (!resource.sorts.includes(field) && field !== 'id' && field !== resource.order?.field) {
      here
        .at('sort', 'columns', field)
        .report(
          `the contract cannot sort by ${field}`,
          `sorts: ${['id', ...resource.sorts.filter((name) => name !== 'id')].join(', ')}`,
        );
      continue;
    }
    for (const direction of directions) {
      // Ids are unique, so a sort by id needs no tiebreak.
      const tiebreak = field === 'id' ? undefined : sort.tiebreak;
      const variables = {
        column,
        direction: sort[direction],
        tiebreak: typeof tiebreak === 'string' ? tiebreak : '',
      };
      const trees = tiebreak === undefined || (named && typeof tiebreak === 'string') ? [] : [tiebreak];
      const items = item === undefined ? undefined : [item(variables), ...trees];
      const part: RequestPart = { query: query(variables), expr: expr?.(variables), items };
      pushes.set(`${field}.${direction}`, { part, capability: `sort.${field}.${direction}` });
    }
  }
  return pushes;
}

/** The sort that sends nothing, because the source returns its rows in that order anyway. */
export function naturalOrder(): SortPush {
  return { part: NO_PART, capability: 'order' };
}
