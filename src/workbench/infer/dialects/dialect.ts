// The interface of a dialect, which is what `infer` knows about one legacy product.

import type { DialectSpec, FilterSpec, ListSpec, RequestSpec } from '../../../config/schema/source.ts';
import type { FieldKind } from '../../../contract/fields.ts';
import type { Resource, ResourceName } from '../../../contract/resource.ts';
import type { Json, JsonObject } from '../../../kernel/json/json.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';

/** What a dialect is recognised by: one request and its reply. */
export type DialectClues = {
  readonly resource: ResourceName;
  readonly request: RequestSpec;
  readonly reply: UpstreamReply;
  readonly document: Json | undefined;
  /** The first record, if one was found. */
  readonly row: JsonObject | undefined;
};

/** The paging that a product documents. `infer` tries it before it writes it into a draft. */
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
  readonly field: string;
  readonly op: 'eq' | 'ge' | 'le';
  /** The parameters that take the conditions of `expr`, and the text between two conditions, if not those of the dialect. */
  readonly joined?: { readonly query: Readonly<Record<string, string>>; readonly by: string };
  /** Puts the filter into the body of a request. */
  readonly body?: {
    /** The request of a trial: with a value, or without one, as the draft sends it if a caller does not filter. */
    with(request: RequestSpec, value: string | undefined): RequestSpec;
    /** The request of the draft. */
    template(request: RequestSpec): RequestSpec;
  };
  /** True if the filter may return more rows than the contract asks for. */
  readonly superset?: boolean;
};

/** How a request asks for a sort, in both directions. */
export type DialectSort = {
  /** The name of the parameters, for messages. */
  readonly by: string;
  ascending(request: RequestSpec): RequestSpec;
  descending(request: RequestSpec): RequestSpec;
};

/** How lists are sorted: parameters and values of the body with {column} and {direction}, and a word for each direction. */
export type SortTemplate = Readonly<NonNullable<DialectSpec['sort']>>;

/** A way to sort by a column. */
export type SortForm = {
  /** `undefined` for a column that it cannot sort by. */
  of(column: string): DialectSort | undefined;
  /** Absent if it is not the same for each column. */
  readonly template?: SortTemplate;
};

/**
 * A dialect: how one legacy product, or a family of products, speaks (its paging, filters, errors and column names). An
 * example file in `config/examples` describes it; `compileDialects` makes this of the file.
 */
export type Dialect = Pick<DialectSpec, 'key' | 'title' | 'zone' | 'outcomes' | 'pitfalls'> & {
  /** Whether a first reply looks like one of this product. */
  matches(clues: DialectClues): boolean;
  /** Whether a reply to the request that `extend` makes confirms the dialect. */
  confirms(clues: DialectClues): boolean;
  /** Rewrites the request, if the URL alone does not return records. */
  rewrite(clues: DialectClues): RequestSpec;
  /** Adds parameters, such as one that asks for the total. The draft has them only if the service still returns rows. */
  extend(request: RequestSpec): RequestSpec;
  readonly paging: DialectPaging | undefined;
  /** The place of the total; `none` if a number that looks like one must not be trusted. */
  readonly total: 'none' | TotalPlace | { readonly count: RequestSpec } | undefined;
  readonly sort: SortForm | undefined;
  filters(wanted: readonly PlainFilter[]): readonly DialectFilter[];
  /** The query with the place for filter expressions, such as `{ $filter: '{filter}' }`. */
  readonly filterQuery: Readonly<Record<string, string>>;
  /** The path of the list of conditions in a JSON body. */
  readonly filterPlace: readonly (string | number)[] | undefined;
  /** The columns of fields that every service of the product has, by resource and field of the built-in contract. */
  readonly paths: Partial<Readonly<Record<ResourceName, Readonly<Record<string, string>>>>>;
  readonly itemsAbsent: ListSpec['itemsAbsent'];
  /** A request for the number of rows, and the place of the number. */
  count(request: RequestSpec): { readonly request: RequestSpec; readonly at: string } | undefined;
  /** The request for one record, with `{id}`, in addition to the usual `<path>/{id}`. */
  record(request: RequestSpec, idIsNumber: boolean): RequestSpec | undefined;
  /** Present if ids are texts, even if all ids that were seen are whole numbers. */
  readonly idKind: 'text' | undefined;
  /** Conditions for rows that are no records, as in a source file. */
  readonly dropWhen: ListSpec['dropWhen'] | undefined;
  /** A regular expression for a whole native id, if the view of one record refuses ids of another form. */
  idForm(idIsNumber: boolean): string | undefined;
  /** The path of a value that only successes have, if the status does not show whether a reply is one. */
  readonly success: string | undefined;
};

/** The path of the column of a field; `undefined` if the field is not read from one column unchanged. */
export type PlainColumn = (field: string) => string | undefined;

/** A filter of the contract, with the path of its field's column. */
export type PlainFilter = Pick<DialectFilter, 'field' | 'op'> & { readonly column: string };

/** The kinds of fields whose values a service probably compares as the contract does, for each operator. */
const COMPARED: Readonly<Record<DialectFilter['op'], readonly FieldKind[]>> = {
  eq: ['text', 'enum'],
  ge: ['decimal', 'integer'],
  le: ['decimal', 'integer'],
};

/**
 * The filters of a resource that a service may answer itself, if their fields have a plain column. Equality, which has the
 * fewest usual forms, comes first, because its spelling helps to find the others.
 */
export function plainFilters({ filters }: Resource, column: PlainColumn): readonly PlainFilter[] {
  return (['eq', 'ge', 'le'] as const).flatMap((op) => {
    const asked = filters.filter((filter) => filter.op === op && COMPARED[op].includes(filter.kind));
    return [...new Set(asked.map(({ field }) => field))].flatMap((field) => {
      const path = column(field);
      return path === undefined ? [] : [{ field, op, column: path }];
    });
  });
}
