import type { ContractSpec } from './contract-schema.ts';
import type { Field, FieldKind } from './fields.ts';
import type { FilterOp, Sort } from './query.ts';

/** The announced end of a part of the contract: since when clients should stop using it, and the day on which it ends. */
export type Deprecation = {
  /** True or its day (`YYYY-MM-DD`), which may come yet. */
  readonly deprecated: boolean | string;
  readonly sunset?: string | undefined;
};

/** What paths (`/v1/users`), operations, permissions and configuration keys are named by: a key of the contract. */
export type ResourceName = string;

/** A query parameter that narrows a list. */
export type FilterParameter = {
  readonly name: string;
  readonly field: string;
  readonly op: FilterOp;
  readonly description: string | undefined;
  /** Whether it is going. */
  readonly deprecation: Deprecation;
  /** The kind of its field, which says how its value is written. */
  readonly kind: FieldKind;
  /** Whether its value may be below zero. */
  readonly isSigned: boolean;
  /** The least number that it takes. */
  readonly minimum?: number | undefined;
  /** The values that an enum has; absent for other kinds. */
  readonly values?: readonly string[] | undefined;
  /** The prefix of the ids that it asks for; absent for other kinds. */
  readonly idPrefix?: string | undefined;
};

/** How many records a page has. */
export type PageRules = { readonly default: number; readonly max: number };

/** A resource of the contract, compiled. */
export type Resource = {
  readonly name: ResourceName;
  /** The name of one record. */
  readonly singular: string;
  /** The name of its schema in the OpenAPI document, such as `User`. */
  readonly schemaName: string;
  /** Names that sources may have for its list, and what a record is, for `portico infer`. */
  readonly aliases: readonly string[];
  readonly means: ContractSpec['resources'][string]['means'];
  readonly idPrefix: string;
  /** What stands before the source's own id in a public one: `user_`, or nothing. */
  readonly idStart: string;
  readonly idPattern: RegExp;
  /** The path of its list, such as `/v1/users`. */
  readonly path: string;
  /** The permission to read it: `<name>:read`. */
  readonly permission: string;
  readonly hasList: boolean;
  /** The fields of an item of a list, the id first. */
  readonly itemFields: readonly Field[];
  /** Whether one record can be read by its id. */
  readonly hasSingle: boolean;
  /** The fields of the single-record view; empty if there is none. */
  readonly detailFields: readonly Field[];
  /** The names of all fields after the id, those of the single-record view included. */
  readonly fieldNames: readonly string[];
  /** Fields that `sort` may name; empty if the contract has no `sort`. */
  readonly sorts: readonly string[];
  /** The order without `sort`; `null`: by id. */
  readonly order: Sort | null;
  readonly filters: readonly FilterParameter[];
  readonly pages: PageRules;
  readonly operations: readonly Operation[];
  /** Whether it is going. */
  readonly deprecation: Deprecation;
  /** Changes with whatever changes an answer: names, kinds, values, order, filters, limits. Not with descriptions. */
  readonly digest: string;
  /** The contract that it is part of, as data: a thread compiles it anew. */
  readonly spec: ContractSpec;
  /** In the settings of a component, it counts by its name and digest. */
  toJSON(): string;
};

/** A public endpoint, such as `users.list`. */
export type OperationName = `${ResourceName}.${Operation['kind']}`;

/**
 * One endpoint of one resource, as data: the parser of its parameters and its part of the OpenAPI document are made from
 * it. All answer GET and HEAD.
 */
export type Operation = {
  readonly name: OperationName;
  readonly kind: 'list' | 'get';
  readonly resource: Resource;
  /** The route; `:id` is the one variable segment. */
  readonly path: string;
};

/** What clients are promised: a contract file, compiled. */
export type Contract = {
  /** The first segment of every path, such as `v1`. */
  readonly version: string;
  readonly title: string;
  /** Whether a `limit` above the largest is 400, or means the largest. */
  readonly limitOverflow: 'reject' | 'clamp';
  /** Whether the file says so itself. */
  readonly saysOverflow: boolean;
  /** Whether it is the contract of a gateway that has no contract file. */
  readonly isBuiltIn: boolean;
  /** By name, in the order of the file. */
  readonly resources: ReadonlyMap<ResourceName, Resource>;
  /** Every endpoint: lists and single records, as far as a resource has them. */
  readonly operations: readonly Operation[];
  /** Its file, before it was compiled. */
  readonly spec: ContractSpec;
  /** In the settings of a component and where configurations are compared, it counts by its file. */
  toJSON(): object;
};
