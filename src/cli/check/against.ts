// Finds what clients of an older contract would miss in the contract in force, for `portico check --against`.

import { gatewayPromiseIn, type GatewayPromise } from '../../config/load-contract.ts';
import type { ConfigFiles } from '../../config/load.ts';
import { pathText, type Problem } from '../../config/yaml/problem.ts';
import type { YamlFile } from '../../config/yaml/yaml-file.ts';
import {
  compareContracts,
  comparePermissions,
  type ContractChange,
} from '../../contract/compare-contracts.ts';
import type { ContractSpec } from '../../contract/contract-schema.ts';
import type { Contract } from '../../contract/resource.ts';
import type { ContractChanges } from '../../workbench/explain/report/check-report.ts';
import { readText } from '../input/config-files.ts';
import { contractIn, readGatewayContract } from '../input/read-config.ts';

type Placed = { readonly breaks: boolean; readonly problem: Problem };

/** A change with its line in the file; in the built-in contract, a change has no line. */
function placedIn(yaml: YamlFile | undefined, { breaks, path, message, hint }: ContractChange): Placed {
  const builtIn = { file: 'the built-in contract', path: pathText(path), message };
  const problem = yaml?.problemAt(path, message, hint) ?? {
    ...builtIn,
    ...(hint !== undefined && { hint }),
  };
  return { breaks, problem };
}

/** What a contract promises to clients. The gateway file may decide instead how a too large `limit` is treated. */
function promised({ spec }: Contract, gateway: GatewayPromise | undefined): ContractSpec {
  const overflow = gateway?.limitOverflow ?? spec.pages.overflow;
  return { ...spec, pages: { ...spec.pages, overflow } };
}

/**
 * Finds what the configuration in force takes from the clients of an older one, and what it offers them in addition, with
 * the lines. `oldFile` is a contract file, or a gateway file; then permissions and too large limits are compared, too.
 * @throws ConfigError if a file is neither
 */
export function changesAgainst(oldFile: string, { contract: file, gateway }: ConfigFiles): ContractChanges {
  const { contract, yaml } = contractIn(file);
  const text = readText(oldFile);
  const [older, now] = [text, gateway].map(gatewayPromiseIn);
  const old = older === undefined ? contractIn(text).contract : readGatewayContract(oldFile);
  /** Leaves out resources that the contract no longer has, because the comparison of contracts reports them. */
  const inContract = (permissions: ReadonlyMap<string, string | null>) =>
    new Map([...permissions].filter(([name]) => Object.hasOwn(contract.spec.resources, name)));
  const permissions =
    older === undefined || now === undefined
      ? []
      : comparePermissions(inContract(older.permissions), now.permissions).map((one) =>
          placedIn(now.yaml, one),
        );
  const changes = [
    ...compareContracts(promised(old, older), promised(contract, older && now)).map((one) =>
      placedIn(yaml, one),
    ),
    ...permissions,
  ];
  const those = (wanted: boolean) =>
    changes.flatMap(({ breaks, problem }) => (breaks === wanted ? problem : []));
  return { file: oldFile, breaks: those(true), widens: those(false) };
}
