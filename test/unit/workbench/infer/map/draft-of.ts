import { compileContract } from '../../../../../src/contract/compile-contract.ts';
import { type ContractDocument, contractSchema } from '../../../../../src/contract/contract-schema.ts';
import type { JsonObject } from '../../../../../src/kernel/json/json.ts';
import { mapFields } from '../../../../../src/workbench/infer/map/map-fields.ts';

/** The fields of a resource, as a contract file has them. */
export type Fields = ContractDocument['resources'][string]['fields'];

/** The draft of a field of orders, and the levels and texts of its notes; `described` are other resources of the file. */
export function draftOf(
  fields: Fields,
  rows: readonly JsonObject[],
  described: readonly string[] = ['customers'],
) {
  const document: ContractDocument = {
    contract: 1,
    title: 'Shop',
    resources: {
      orders: { singular: 'order', id: { prefix: 'ord' }, fields },
      customers: { singular: 'customer', id: { prefix: 'cus' }, fields: { name: { kind: 'text' } } },
    },
  };
  const { resources } = compileContract(contractSchema.parse(document), (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  });
  const numbered = rows.map((row, index) => ({ id: index + 1, ...row }));
  const found = mapFields(resources.get('orders')!, 'list', numbered, {
    ...{ paths: {}, dialect: undefined },
    described: new Set(described),
  })!;
  const [name = ''] = Object.keys(found.map).filter((key) => key !== 'id');
  const edits = found.notes.filter(({ at, level }) => level === 'edit' && at.includes(name));
  return { draft: found.map[name], edits: edits.map(({ text }) => text) };
}
