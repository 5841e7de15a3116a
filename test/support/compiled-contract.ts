import { compileContract } from '../../src/contract/compile-contract.ts';
import { type ContractDocument, contractSchema } from '../../src/contract/contract-schema.ts';
import type { Resource } from '../../src/contract/resource.ts';

/** Compiles a contract with resources of a test's own. Each problem that is found is a line of `problems`. */
export function compiledContract(resources: ContractDocument['resources']) {
  const problems: string[] = [];
  const spec = contractSchema.parse({ contract: 1, title: 'Test', resources });
  const contract = compileContract(
    spec,
    (path, message) => void problems.push(`${path.join('.')}: ${message}`),
  );
  return { contract, problems };
}

/** The only resource of a contract that has one. */
export function compiledResource(resource: ContractDocument['resources'][string]): Resource {
  const { contract, problems } = compiledContract({ things: resource });
  if (problems.length > 0) throw new Error(problems.join('\n'));
  return contract.resources.get('things') as Resource;
}
