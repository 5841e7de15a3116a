// Writes the GraphQL query for one record, for the `get` section of a draft.

import type { Resource } from '../../../contract/resource.ts';
import { fold } from '../../../source/checks/evidence/document-leaves.ts';
import type { Dialect } from '../dialects/dialect.ts';
import { graphqlRequest } from './introspect.ts';
import {
  type GraphqlSchema,
  type InputField,
  mustBeGiven,
  type NamedType,
  type OutputField,
} from './schema.ts';
import { selectFields } from './select-fields.ts';

/** A field of the query that returns one record, with the argument that takes its id. */
type SingleRecordField = { readonly root: OutputField; readonly id: InputField };

const ID_NAME = /^(?:id|_id|uuid|key|pk|nodeid|\w*id)$/;

/** The fields of the query that return one record of a type by its id, the plainest first. */
function singleRecordFields(schema: GraphqlSchema, item: NamedType): readonly SingleRecordField[] {
  const rank = ({ root, id }: SingleRecordField) =>
    (fold(id.name) === 'id' ? 0 : fold(id.name) === 'nodeid' ? 4 : 2) +
    (fold(root.name).startsWith(fold(item.name)) ? 0 : 1);
  return schema.roots
    .filter(({ type }) => !type.isList && type.name === item.name)
    .flatMap((root): readonly SingleRecordField[] => {
      const required = root.args.filter(mustBeGiven);
      const candidates = required.length > 0 ? required : root.args;
      const id = candidates.find(({ name, type }) => ID_NAME.test(fold(name)) && !type.isList);
      return id === undefined || required.length > 1 ? [] : [{ root, id }];
    })
    .sort((a, b) => rank(a) - rank(b));
}

/** Types whose values a variable cannot carry as a text. An id of digits alone stands in the query itself. */
const IS_NUMBER = /^(?:Int|BigInt|Long|bigint|Float|smallint)$/;

/** Whole numbers of 32 bits, which is what Int means (GraphQL, section 3.5.1). Others make the whole query invalid. */
const INT = String.raw`\d{1,9}|1\d{9}|20\d{8}|21[0-3]\d{7}|214[0-6]\d{6}|2147[0-3]\d{5}|21474[0-7]\d{4}|214748[0-2]\d{3}|2147483[0-5]\d\d|21474836[0-3]\d|214748364[0-7]`;

/** How one record of a schema's type is requested; the ids have a form only if the contract has such a request. */
export function graphqlRecord(
  schema: GraphqlSchema,
  item: NamedType,
  resource: Resource,
): Pick<Dialect, 'record'> & Partial<Pick<Dialect, 'idForm'>> {
  const fieldFor = (idIsNumber: boolean) =>
    singleRecordFields(schema, item).find(({ id }) => idIsNumber || !IS_NUMBER.test(id.type.name));
  const idForm: Dialect['idForm'] = (idIsNumber) =>
    fieldFor(idIsNumber)?.id.type.name === 'Int' ? INT : undefined;
  return {
    record(request, idIsNumber) {
      const field = fieldFor(idIsNumber);
      if (field === undefined) return undefined;
      const { root, id } = field;
      const fields = selectFields(schema, item, resource);
      if (IS_NUMBER.test(id.type.name))
        return graphqlRequest(request, `query One { ${root.name}(${id.name}: {id}) { ${fields} } }`, {});
      const query = `query One($id: ${id.type.text}) { ${root.name}(${id.name}: $id) { ${fields} } }`;
      return graphqlRequest(request, query, { id: '{id}' });
    },
    ...(resource.hasSingle && { idForm }),
  };
}
