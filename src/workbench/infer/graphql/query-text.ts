// Writes the text of the GraphQL query with which a draft asks for a list.

import type { RequestSpec } from '../../../config/schema/source.ts';
import { withValue } from '../requests/request-parameters.ts';
import type { InputField } from './schema.ts';

/** A field at the top of a query, with its selection. */
type TopField = {
  readonly name: string;
  /** The fields that are selected within; empty for a number or a text. */
  readonly selection: string;
};

const declared = (args: readonly InputField[]) =>
  args.map(({ name, type }) => `$${name}: ${type.text}`).join(', ');
const passed = (args: readonly InputField[]) => args.map(({ name }) => `${name}: $${name}`).join(', ');
const inBrackets = (text: string) => (text === '' ? '' : `(${text})`);

/** The query for a list: its fields with the arguments that every query has, and the arguments that can be added. */
export type GraphqlListQuery = {
  readonly list: TopField & { readonly args: readonly InputField[] };
  /** Fields that state the number of records; they take the list's filters if they have the same argument. */
  readonly counts: readonly (TopField & { readonly takes: readonly string[] })[];
  /** All arguments that may be added to the list. */
  readonly known: readonly InputField[];
};

/** Whether a query has a variable. */
const uses = (request: RequestSpec, { name }: InputField): boolean =>
  request.body !== undefined &&
  'json' in request.body &&
  new RegExp(String.raw`\$${name}\b`).test(JSON.stringify(request.body.json));

/** Sets the variable of an argument, or a value at a path below it. The query of the list gets the argument if it lacks it. */
export function withArgument(
  query: GraphqlListQuery,
  request: RequestSpec,
  arg: InputField,
  path: readonly (string | number)[],
  value: unknown,
): RequestSpec {
  const more = query.known.filter((one) => one === arg || uses(request, one));
  const text = writeListQuery(query, more);
  const asked = withValue(request, { in: 'json', path: ['query'] }, text);
  return withValue(asked, { in: 'json', path: ['variables', arg.name, ...path] }, value);
}

/** Writes the query of a list with some more of its arguments, each a variable of the same name. A space follows each brace. */
export function writeListQuery({ list, counts }: GraphqlListQuery, more: readonly InputField[]): string {
  const fields = [
    { ...list, args: [...list.args, ...more] },
    ...counts.map(({ takes, ...count }) => ({
      ...count,
      args: more.filter(({ name }) => takes.includes(name)),
    })),
  ];
  const args = new Map(fields.flatMap((field) => field.args).map((arg) => [arg.name, arg]));
  const parts = fields.map(
    ({ name, args: own, selection }) =>
      `${name}${inBrackets(passed(own))}${selection === '' ? '' : ` { ${selection} }`}`,
  );
  return `query List${inBrackets(declared([...args.values()]))} { ${parts.join(' ')} }`;
}
