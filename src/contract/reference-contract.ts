import { compileContract } from './compile-contract.ts';
import { type ContractDocument, contractSchema } from './contract-schema.ts';
import type { Contract } from './resource.ts';

/**
 * The contract of a gateway that has no contract file: users and products. `config/contract.yaml` has the same words, as a
 * file to start from.
 * @internal
 */
export const referenceDocument: ContractDocument = {
  contract: 1,
  version: 'v1',
  title: 'Users and Products Read API',
  resources: {
    users: {
      singular: 'user',
      means: 'person',
      id: { prefix: 'user' },
      fields: {
        name: { kind: 'text', means: 'person_name', description: 'Display name.', example: 'Ada Beyoğlu' },
        email: { kind: 'text', means: 'email', description: 'E-mail address.', example: 'ada@web.example' },
        created_at: { kind: 'datetime', means: 'created', description: 'When the user was created.' },
      },
      single: {
        profile: {
          bio: {
            kind: 'text',
            means: 'prose',
            description: 'Free text.',
            example: 'Reads maps for a living.',
          },
          location: { kind: 'text', means: 'place', description: 'Free text.', example: 'Köln' },
          avatar_url: {
            kind: 'text',
            means: 'picture',
            description: 'URL of an avatar image.',
            example: 'https://images.example/42.png',
          },
        },
      },
      sort: ['id', 'name', 'email', 'created_at'],
    },
    products: {
      singular: 'product',
      means: 'product',
      id: { prefix: 'prod' },
      fields: {
        name: {
          kind: 'text',
          means: 'title',
          description: 'Product name.',
          example: 'Kettle',
        },
        description: {
          kind: 'text',
          means: 'description',
          description: 'Free text.',
          example: 'Boils a litre in three minutes.',
        },
        price: {
          kind: 'decimal',
          means: 'amount',
          minimum: 0,
          description: 'Price; the currency is not stated in the interface.',
        },
        category: {
          kind: 'text',
          means: 'category',
          description: 'Category label, usable as the `category` filter.',
          example: 'Kitchen',
        },
      },
      filters: {
        category: { field: 'category', is: 'equal', description: 'Keep only products of this category.' },
        min_price: {
          field: 'price',
          is: 'at_least',
          description: 'Keep only products priced at or above this.',
        },
        max_price: {
          field: 'price',
          is: 'at_most',
          description: 'Keep only products priced at or below this.',
        },
      },
    },
  },
};

let compiled: Contract | undefined;

/** The built-in contract. It is compiled on first use, because a gateway with a contract file never needs it. */
export function builtInContract(): Contract {
  compiled ??= compileContract(
    contractSchema.parse(referenceDocument),
    (path, message) => {
      throw new Error(`the built-in contract is wrong at ${path.join('.')}: ${message}`);
    },
    true,
  );
  return compiled;
}
