import type { DialectSpec, FilterSpec, ListSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { ResourceName } from '../../../contract/resources.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { withQuery } from '../requests/request-parameters.ts';

/** The evidence for a dialect: one request and its reply. */
export type DialectClues = {
  readonly resource: ResourceName;
  readonly request: RequestSpec;
  readonly reply: UpstreamReply;
  readonly document: Json | undefined;
  /** The first record, if one was found. */
  readonly row: JsonObject | undefined;
};

/** The documented paging of a product. It is tried before it is believed. */
export type DialectPaging = Omit<Exclude<DialectSpec['paging'], string>, 'next'> & {
  readonly kind: 'offset' | 'page' | 'link' | 'cursor';
  readonly base?: number;
  /** The place of the next link or cursor in a reply. */
  readonly next?: string | { readonly at: string } | { readonly header: string } | undefined;
  readonly depthMax?: number | undefined;
};

/** The place of a total in a reply. */
export type TotalPlace = Readonly<Omit<NonNullable<ListSpec['total']>, 'counts' | 'count'>>;

/** A documented filter of a product; `name` is a variable that the body has in place of the value. */
export type DialectFilter = Readonly<Partial<Omit<FilterSpec, 'exactness'>>> & {
  readonly field: 'category' | 'price';
  readonly op: 'eq' | 'ge' | 'le';
  /** Where the conditions of `expr` stand, and what stands between them, if the dialect does not say it. */
  readonly joined?: { readonly query: Readonly<Record<string, string>>; readonly by: string };
  /** Puts the filter into the body of a request. */
  readonly body?: {
    /** For a trial: with a value, or without one as the draft's request is if nobody filters. */
    with(request: RequestSpec, value: string | undefined): RequestSpec;
    /** For the draft. */
    template(request: RequestSpec): RequestSpec;
  };
  /** True if the product also finds rows that the contract does not mean. */
  readonly superset?: boolean;
};

/** A way to ask for a sort: what a request has in addition, in both directions. */
export type DialectSort = {
  /** What asks for it, for messages. */
  readonly by: string;
  ascending(request: RequestSpec): RequestSpec;
  descending(request: RequestSpec): RequestSpec;
};

/** A sort by parameters of the query. */
export function sortByQuery(
  ascending: Readonly<Record<string, string>>,
  descending: Readonly<Record<string, string>>,
): DialectSort {
  return {
    by: Object.keys(ascending).join(' and '),
    ascending: (request) => withQuery(request, ascending),
    descending: (request) => withQuery(request, descending),
  };
}

/** A product, or a family of products, that its replies reveal. */
export type Dialect = Pick<DialectSpec, 'key' | 'title' | 'zone' | 'outcomes' | 'pitfalls'> & {
  matches(look: DialectClues): boolean;
  /** Whether a reply to the request that `extend` makes confirms the dialect. */
  confirms(look: DialectClues): boolean;
  /** Rewrites the request, if the URL alone does not return records. */
  rewrite(look: DialectClues): RequestSpec;
  /** Adds parameters, such as one for the total. They are kept only if the service still gives rows. */
  extend(request: RequestSpec): RequestSpec;
  readonly paging: DialectPaging | undefined;
  /** The place of the total; `none` if a number that looks like one must not be trusted. */
  readonly total: 'none' | TotalPlace | { readonly count: RequestSpec } | undefined;
  /** `undefined` if the product cannot sort by the column. */
  readonly sort: ((column: string) => DialectSort | undefined) | undefined;
  /** `column` returns the column of a field, if it is a plain one. */
  filters(column: PlainColumn): readonly DialectFilter[];
  /** The query with the place for filter expressions, such as `{ $filter: '{filter}' }`. */
  readonly filterQuery: Readonly<Record<string, string>>;
  /** The path of the list of conditions in a JSON body. */
  readonly filterPlace: readonly (string | number)[] | undefined;
  readonly paths: Partial<Readonly<Record<ResourceName, Readonly<Record<string, string>>>>>;
  readonly itemsAbsent: ListSpec['itemsAbsent'];
  /** A request for the number of rows, and the place of the number. */
  count(request: RequestSpec): { readonly request: RequestSpec; readonly at: string } | undefined;
  /** The request for one record, with `{id}`, in addition to the usual `<path>/{id}`. */
  record(request: RequestSpec, idIsNumber: boolean): RequestSpec | undefined;
  /** Ids are texts even if all that were seen are whole numbers. */
  readonly idKind: 'text' | undefined;
  /** Rows that are no records, in the form of the source file. */
  readonly dropWhen: ListSpec['dropWhen'] | undefined;
  /** The form of native ids, if the view of one record refuses others: a regular expression for all of one. */
  idForm(idIsNumber: boolean): string | undefined;
  /** A key that only successes have, if the status does not tell. */
  readonly success: string | undefined;
};

/** The path of a field's column, if it is a plain one. */
export type PlainColumn = (field: string) => string | undefined;

/** A filter of the contract, with the path of its field's column. */
export type PlainFilter = Pick<DialectFilter, 'field' | 'op'> & { readonly column: string };

/**
 * The filters of the contract on the columns that are plain. The one that has the fewest usual forms comes first: what it
 * shows of their spelling helps to find the others.
 */
export function plainFilters(column: PlainColumn): readonly PlainFilter[] {
  const wanted = [
    { field: 'category', op: 'eq' },
    { field: 'price', op: 'ge' },
    { field: 'price', op: 'le' },
  ] as const;
  return wanted.flatMap((one) => {
    const path = column(one.field);
    return path === undefined ? [] : [{ ...one, column: path }];
  });
}
