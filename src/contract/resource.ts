// The compiled contract: what all other layers know of the resources that clients are promised.

import type { ContractSpec } from './contract-schema.ts';
import type { Field, FieldKind } from './fields.ts';
import type { FilterOp, Sort } from './query.ts';

/** The announced end of a part of the contract: since when clients should stop using it, and the day on which it ends. */
export type Deprecation = {
  /** Whether clients should stop using it; or the day since when (`YYYY-MM-DD`), which may be in the future. */
  readonly deprecated: boolean | string;
  /** The day on which it is removed (`YYYY-MM-DD`). */
  readonly sunset?: string | undefined;
};

/** A key under `resources` of the contract. Paths (`/v1/users`), operations and permissions are named after it. */
export type ResourceName = string;

/** A query parameter that narrows a list. */
export type FilterParameter = {
  readonly name: string;
  readonly field: string;
  readonly op: FilterOp;
  readonly description: string | undefined;
  readonly deprecation: Deprecation;
  /** The kind of the field (for `has`, of an element), which says how a value is written. */
  readonly kind: FieldKind;
  /** Whether a value may be below zero. */
  readonly isSigned: boolean;
  /** The smallest number that it takes. */
  readonly minimum?: number | undefined;
  /** The values that an enum has; absent for other kinds. */
  readonly values?: readonly string[] | undefined;
  /** The prefix of the ids that it takes; absent for other kinds. */
  readonly idPrefix?: string | undefined;
};

/** How many records a page has by default, and at most. */
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
  /** The text before the source's own id in a public id: `user_`, or nothing. */
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
  readonly deprecation: Deprecation;
  /** A hash of everything that an answer depends on: names, kinds, values, order, filters, limits; not descriptions. */
  readonly digest: string;
  /** The contract that it is part of, as data, because another thread has to compile it again. */
  readonly spec: ContractSpec;
  /** Its name and digest, so that settings of components that hold it are compared by these. */
  toJSON(): string;
};

/** A public endpoint, such as `users.list`. */
export type OperationName = `${ResourceName}.${Operation['kind']}`;

/**
 * One endpoint of one resource, as data. The parser of its parameters and its part of the OpenAPI document are made from
 * it. Every endpoint answers GET and HEAD.
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
  /** Whether a `limit` above the largest is an error (400), or means the largest. */
  readonly limitOverflow: 'reject' | 'clamp';
  /** Whether the contract file itself sets `limitOverflow`, as `pages.overflow`. */
  readonly saysOverflow: boolean;
  /** Whether it is the contract of a gateway that has no contract file. */
  readonly isBuiltIn: boolean;
  /** By name, in the order of the file. */
  readonly resources: ReadonlyMap<ResourceName, Resource>;
  /** The endpoints of all resources. */
  readonly operations: readonly Operation[];
  /** The contract file before it was compiled. */
  readonly spec: ContractSpec;
  /** Its file, so that configurations and settings of components that hold it are compared by the file. */
  toJSON(): object;
};
