// The parameters of operations, as the OpenAPI document and the API page have them.

import { deprecationMarks } from './deprecation.ts';
import { idPatternOf } from './fields.ts';
import { PAGE_MAX } from './parse-query.ts';
import type { FilterParameter, Operation, Resource } from './resource.ts';

/** A parameter of an operation, as the OpenAPI document has it. */
export type ApiParameter = {
  readonly name: string;
  readonly in: 'query' | 'path';
  readonly required?: boolean;
  readonly description: string;
  readonly schema: {
    readonly type: 'integer' | 'string';
    readonly format?: string;
    readonly pattern?: string;
    readonly minLength?: number;
    readonly maxLength?: number;
    readonly enum?: readonly string[] | undefined;
    readonly examples?: readonly string[];
    readonly minimum?: number;
    readonly maximum?: number;
    readonly default?: number;
  };
  readonly deprecated?: boolean;
  readonly 'x-sunset'?: string;
};

function parameter(name: string, description: string, schema: ApiParameter['schema']): ApiParameter {
  return { name, in: 'query', description, schema };
}

/** The schema of a filter parameter as a client writes it: always a text. */
function filterSchema({
  kind,
  op,
  isSigned,
  values,
  idPrefix = '',
}: FilterParameter): ApiParameter['schema'] {
  if (op === 'in') return { type: 'string', minLength: 1 };
  if (op === 'known' || kind === 'boolean') return { type: 'string', enum: ['true', 'false'] };
  switch (kind) {
    case 'integer':
      return { type: 'string', pattern: isSigned ? '^-?[0-9]+$' : '^[0-9]+$', examples: ['10'] };
    case 'decimal':
      return {
        type: 'string',
        pattern: `^${isSigned ? '-?' : ''}[0-9]+(\\.[0-9]+)?$`,
        examples: ['9.99'],
      };
    case 'datetime':
      return { type: 'string', examples: ['2020-05-01T10:00:00Z', '2020-05-01'] };
    case 'date':
      return { type: 'string', format: 'date', examples: ['2020-05-01'] };
    case 'enum':
      return { type: 'string', enum: values };
    case 'id':
    case 'reference':
      return { type: 'string', pattern: idPatternOf(idPrefix).source };
    case 'text':
    case 'list':
      return { type: 'string', minLength: 1 };
  }
}

function listParameters({ sorts, filters, pages }: Resource): readonly ApiParameter[] {
  const page = parameter('page', 'Page number.', {
    type: 'integer',
    minimum: 1,
    maximum: PAGE_MAX,
    default: 1,
  });
  const limit = parameter('limit', 'Records per page.', {
    type: 'integer',
    minimum: 1,
    maximum: pages.max,
    default: pages.default,
  });
  const sortEnum = sorts.flatMap((sort) => [sort, `-${sort}`]);
  const sort = parameter(
    'sort',
    'Field to sort by; a leading "-" means descending. Ties are broken by ascending id.',
    { type: 'string', enum: sortEnum },
  );
  return [
    page,
    limit,
    ...(sorts.length > 0 ? [sort] : []),
    ...filters.map((filter) => ({
      ...parameter(filter.name, filter.description ?? descriptionOf(filter), filterSchema(filter)),
      ...deprecationMarks(filter.deprecation),
    })),
  ];
}

const RELATIONS: Readonly<Record<FilterParameter['op'], string>> = {
  eq: 'is this',
  in: 'is one of these, with commas between them',
  ge: 'is at least this',
  le: 'is at most this',
  gt: 'is above this',
  lt: 'is below this',
  known: 'has a value (true) or has none (false)',
  has: 'has this among its values',
};

/** The sentence of a filter that the contract does not describe. */
const descriptionOf = ({ field, op }: FilterParameter) =>
  `Keep only records of which \`${field}\` ${RELATIONS[op]}.`;

/** What a public id of a resource looks like. */
export const exampleIdOf = ({ idStart }: Resource): string => `${idStart}42`;

/** The path of an operation as OpenAPI writes it, such as `/v1/users/{id}`. */
export const openapiPath = ({ path }: Operation): string => path.replace(':id', '{id}');

/** The parameters of an operation. */
export function parametersOf({ kind, resource }: Operation): readonly ApiParameter[] {
  if (kind === 'list') return listParameters(resource);
  const description = `Identifier of the ${resource.singular}.`;
  const schema = { type: 'string', minLength: 1, maxLength: 128 } as const;
  return [{ name: 'id', in: 'path', required: true, description, schema }];
}
