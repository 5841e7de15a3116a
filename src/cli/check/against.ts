import type { FileText } from '../../config/load.ts';
import { pathText, type Problem } from '../../config/yaml/problem.ts';
import { compareContracts } from '../../contract/compare-contracts.ts';
import type { ContractChanges } from '../../workbench/explain/report/check-report.ts';
import { contractIn, readText } from '../input/read-config.ts';

/**
 * What the contract in force takes from the clients of the one in `oldFile`, and what it offers them besides, at the lines of
 * its file. @throws ConfigError if a file is no contract
 */
export function changesAgainst(oldFile: string, file: FileText | undefined): ContractChanges {
  const [old, { contract, yaml }] = [contractIn(readText(oldFile)), contractIn(file)];
  const changes = compareContracts(old.contract.spec, contract.spec).map(
    ({ breaks, path, message, hint }) => {
      const builtIn: Problem = { file: 'the built-in contract', path: pathText(path), message };
      const problem = yaml?.problemAt(path, message, hint) ?? {
        ...builtIn,
        ...(hint !== undefined && { hint }),
      };
      return { breaks, problem };
    },
  );
  const those = (wanted: boolean) =>
    changes.flatMap(({ breaks, problem }) => (breaks === wanted ? problem : []));
  return { file: oldFile, breaks: those(true), widens: those(false) };
}
