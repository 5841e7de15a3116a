import type { RequestSpec } from '../../config/schema/source.ts';
import type { ResourceName } from '../../contract/resources.ts';
import type { Json, JsonObject } from '../../kernel/json/json.ts';
import type { UpstreamReply } from '../../kernel/upstream-call.ts';

/** What is seen of a service at first: one request and its reply. */
export type DialectEvidence = {
  readonly resource: ResourceName;
  readonly request: RequestSpec;
  readonly reply: UpstreamReply;
  readonly document: Json | undefined;
  /** The first record, where one was found. */
  readonly row: JsonObject | undefined;
};

/** A way to ask for rows that a product documents; it is tried before it is believed. */
export type DialectPaging = {
  readonly kind: 'offset' | 'page' | 'link' | 'cursor' | 'none';
  /** Names of the parameters, or dotted paths into a JSON body. */
  readonly size?: string;
  readonly start?: string;
  readonly base?: 0 | 1;
  /** cursor: the parameter that takes it. */
  readonly cursor?: string;
  /** The most rows that the product gives at once by its documentation. */
  readonly sizeMax?: number;
  readonly depthMax?: number;
};

/** A filter that a product documents. */
export type DialectFilter = {
  readonly field: 'category' | 'price';
  readonly op: 'eq' | 'ge' | 'le';
  readonly query?: Readonly<Record<string, string>>;
  readonly expr?: string;
  readonly escape?: 'odata' | 'number';
  readonly item?: Json;
  /** Where the product is known to find more than the contract means. */
  readonly superset?: boolean;
};

/** A parameter for the order of rows, both ways. */
export type DialectSort = {
  readonly ascending: Readonly<Record<string, string>>;
  readonly descending: Readonly<Record<string, string>>;
};

/** A product, or a family of them, that is known by what it replies. */
export type Dialect = {
  readonly key: string;
  /** As it is told in the draft: "OData v4". */
  readonly title: string;
  matches(look: DialectEvidence): boolean;
  /** The request as it has to be, where the address alone does not ask for records. */
  rewrite?(look: DialectEvidence): RequestSpec;
  /** What has to be asked for besides, such as the total. Kept only where the service then still gives rows. */
  readonly constants?: (look: DialectEvidence) => {
    readonly query?: Readonly<Record<string, string>>;
    readonly headers?: Readonly<Record<string, string>>;
  };
  /** Whether a reply to the constants shows that it is this dialect. */
  confirms?(document: Json, reply: UpstreamReply): boolean;
  readonly paging?: DialectPaging;
  /** Where the total stands; `none` where what looks like one must not be believed. */
  readonly total?:
    | 'none'
    | { readonly at: string }
    | { readonly at: string; readonly unless: { readonly at: string; readonly equals: string } }
    | { readonly header: string; readonly pattern?: string }
    | { readonly count: string; readonly at: string };
  sort?(column: string): DialectSort;
  /** `column` names a field's column, where it is a plain one. */
  readonly filters?: (column: (field: string) => string | undefined) => readonly DialectFilter[];
  /** Where conditions go that are written as expressions. */
  readonly filterQuery?: Readonly<Record<string, string>>;
  readonly paths?: Partial<Readonly<Record<ResourceName, Readonly<Record<string, string>>>>>;
  /** The zone of times that name none, by the product's documentation. */
  readonly zone?: 'UTC';
  readonly itemsAbsent?: 'empty';
  /** A request that tells the number of rows, and where the number stands. */
  count?(request: RequestSpec): { readonly request: RequestSpec; readonly at: string } | undefined;
  /** The request for one record, with `{id}`; beside the usual `<path>/{id}`. */
  record?(request: RequestSpec, idIsNumber: boolean): RequestSpec | undefined;
  /** What only a success has at its top, where the status does not say it. */
  readonly success?: string;
  /** Rules before the usual ones. */
  readonly outcomes?: readonly Readonly<Record<string, unknown>>[];
  /** What no reply tells and a person must know, a line each. */
  readonly traps: readonly string[];
};

/** The request of a single record at another path, without the list's parameters. */
export function recordRequestAt(
  request: RequestSpec,
  path: string,
  query: Readonly<Record<string, string>> = {},
): RequestSpec {
  return { method: 'GET', path, query: { ...query }, headers: request.headers };
}
