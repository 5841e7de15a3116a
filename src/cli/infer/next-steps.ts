// Says at the end of `portico infer` what to do with the source file that it has written.

import type { Contract, ResourceName } from '../../contract/resource.ts';
import type { ReportBlock } from '../../workbench/explain/report/report.ts';
import { newApiKey, newKeyId } from '../../pipeline/stages/authentication/api-key.ts';
import type { CliContext } from '../context/context.ts';
import { quoted } from '../output/plain-output.ts';

/** A source file that was written. */
type Written = {
  readonly name: string;
  readonly file: string;
  readonly contract: Contract;
  readonly resources: readonly ResourceName[];
  /** The names of the variables from which the file takes its credential. */
  readonly variables: readonly string[];
  readonly configFile: string;
  readonly env: CliContext['env'];
};

/** Says what to do with a source file that was written: how to serve it at once, and how to serve it permanently. */
export function nextSteps({
  name,
  file,
  contract,
  resources: names,
  variables,
  configFile,
  env,
}: Written): ReportBlock[] {
  const served = names.flatMap((one) => contract.resources.get(one) ?? []);
  const key = newApiKey(newKeyId());
  const set = variables.map((variable) => `${variable}=… `).join('');
  const permissions = served.map(({ permission }) => permission).join(',');
  const config = quoted(configFile);
  // If npm runs its script `portico`, a shell may not find a command `portico`. npm says in a variable which script it runs.
  const run = env['npm_lifecycle_event'] === 'portico' ? 'npm run -s portico --' : 'portico';
  return [
    `Written to ${file}. Next: ${run} check --source ${quoted(file)}, and ${run} doctor --source ${quoted(file)}`,
    {
      heading: 'Serve it at once, on this machine alone:',
      blocks: [
        `${set}PORTICO_TRY_KEY=${key} ${run} try ${quoted(file)}`,
        `curl -H 'Authorization: Bearer ${key}' 'http://127.0.0.1:8080${served[0]?.path ?? ''}?limit=3'`,
      ],
    },
    {
      heading: `Serve it for good: these lines of ${configFile}, a key, and the gateway:`,
      blocks: [
        'resources:',
        ...names.map((one) => `  ${one}: { source: ${name} }`),
        `${run} -c ${config} keys create --label ${quoted(name)} --permissions ${permissions} --print`,
        `${set}${run} -c ${config} start`,
      ],
    },
  ];
}
