import { compileContract } from '../../../../src/contract/compile-contract.ts';
import { contractSchema } from '../../../../src/contract/contract-schema.ts';
import { exampleName, knownPaths } from '../../../../src/workbench/infer/dialects/example-names.ts';
import { resources } from '../../../support/reference.ts';

const { resources: own } = compileContract(
  contractSchema.parse({
    contract: 1,
    title: 'Own',
    resources: {
      zz1: {
        singular: 'za',
        means: 'person',
        id: { prefix: 'za' },
        fields: { f1: { kind: 'text', means: 'person_name' }, f2: { kind: 'text', means: 'email' } },
      },
      users: { singular: 'user', id: { prefix: 'user' }, fields: { name: { kind: 'text' } } },
    },
  }),
  (path, message) => {
    throw new Error(`${path.join('.')}: ${message}`);
  },
);
const paths = { users: { id: 'sys.id', name: 'cn', email: 'mail.0', created_at: 'born' } };

describe('what a dialect knows of a resource', () => {
  it('is found by what its records and fields mean, whatever they are called', () => {
    expect(knownPaths({ paths }, own.get('zz1')!)).toEqual({ id: 'sys.id', f1: 'cn', f2: 'mail.0' });
    expect(exampleName(own.get('zz1')!)).toBe('users');
  });

  it('is the same under the names of the example', () => {
    expect(knownPaths({ paths }, resources.users)).toEqual(paths.users);
  });

  it('is nothing for a resource that has the name alone', () => {
    expect([knownPaths({ paths }, own.get('users')!), exampleName(own.get('users')!)]).toEqual([{}, '']);
  });
});
