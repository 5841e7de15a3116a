// Tells the arguments of a GraphQL list apart by what they are for: paging, sorting or filtering.

import type { DialectPaging } from '../dialects/dialect.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import { setIn } from '../../../kernel/json/json-tree.ts';
import { type GraphqlSchema, type InputField, isLeaf, mustBeGiven, type OutputField } from './schema.ts';

/** What the arguments of a list are for. An argument in none of these roles is left out. */
export type ListArguments = {
  /** Arguments that every query has. */
  readonly paging: readonly InputField[];
  /** Values for the arguments that must be given, and for those that hold others. */
  readonly variables: Readonly<Record<string, unknown>>;
  readonly window: DialectPaging | undefined;
  /** Arguments that may sort. */
  readonly sorts: readonly InputField[];
  /** Arguments that may filter. */
  readonly filters: readonly InputField[];
};

type Role = 'size' | 'offset' | 'page' | 'cursor';

const ROLES: Readonly<Record<Role, RegExp>> = {
  size: /^(?:limit|first|take|perpage|pagesize|size|count|top|max|maxresults|itemsperpage|pagelimit|length|n)$/,
  offset: /^(?:offset|skip|start|startindex|from|startat|firstresult|pageoffset)$/,
  page: /^(?:page|pagenumber|pageno|pageindex|currentpage|pagenum|p)$/,
  cursor: /^(?:after|cursor|aftercursor|pagetoken|nexttoken|startcursor|endcursor)$/,
};
/** Arguments of a connection that is read backwards, and switches that are no filters. */
const OTHER = /^(?:last|before|distinct\w*|locale|language|lang|includedeleted|withdeleted)$/;
const SORT = /^(?:order|sort|reverse|direction|asc|desc)/;
/** The values for the first request of a list: how many rows, from which row, which page. */
const INITIAL: Readonly<Record<Role, unknown>> = { size: 20, offset: 0, page: 1, cursor: undefined };

const roleOf = ({ name, type }: InputField): Role | undefined =>
  type.isList ? undefined : (Object.keys(ROLES) as Role[]).find((role) => ROLES[role].test(fold(name)));

/** A place for a page's number or size: an argument, or a field of one. */
type PagingPlace = {
  readonly role: Role;
  readonly arg: InputField;
  readonly path: readonly string[];
  readonly isRequired: boolean;
};

function placesIn(
  schema: GraphqlSchema,
  arg: InputField,
  field: InputField,
  path: readonly string[],
): readonly PagingPlace[] {
  if (isLeaf(schema, field.type)) {
    const role = roleOf(field);
    return role === undefined ? [] : [{ role, arg, path, isRequired: mustBeGiven(field) }];
  }
  const holds = /^(?:pag|options?$|input$|window$|slice$|limits?$)/.test(fold(field.name));
  const inner = field.type.isList || path.length > 2 ? undefined : schema.typeOf(field.type);
  if (inner === undefined || !holds) return [];
  return inner.inputFields.flatMap((one) => placesIn(schema, arg, one, [...path, one.name]));
}

const KINDS = ['offset', 'page', 'cursor'] as const;

/** Finds the roles of a list's arguments by their names and types. */
export function listArguments(schema: GraphqlSchema, { args }: OutputField): ListArguments {
  const places = args.flatMap((arg) => placesIn(schema, arg, arg, [arg.name]));
  const placeOf = (role: Role) => places.find((place) => place.role === role);
  const size = placeOf('size');
  const kind = KINDS.find((role) => placeOf(role) !== undefined);
  const start = kind && placeOf(kind);
  const used = [size, start].filter((place) => place !== undefined);
  // A value in an object is found by its place, so it must be there; an argument is found by its name.
  const given = used.filter(({ path, isRequired }) => path.length > 1 || isRequired);
  const variables = given.reduce<unknown>((made, { path, role }) => setIn(made, path, INITIAL[role]), {});
  const pagingArgs = new Set(used.map(({ arg }) => arg));
  const others = args.filter(
    (arg) => !places.some((place) => place.arg === arg) && !OTHER.test(fold(arg.name)),
  );
  const name = (place: PagingPlace) => ['variables', ...place.path].join('.');
  return {
    paging: [...pagingArgs],
    variables: variables as Readonly<Record<string, unknown>>,
    window: kind &&
      start && {
        kind,
        size: size && name(size),
        ...(kind === 'cursor' ? { cursor: name(start) } : { start: name(start) }),
        sizeMax: 100,
      },
    sorts: others.filter((arg) => SORT.test(fold(arg.name))),
    filters: others.filter((arg) => !SORT.test(fold(arg.name)) && !arg.type.isList),
  };
}
