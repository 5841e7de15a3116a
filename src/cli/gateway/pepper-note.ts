import { readFileSync } from 'node:fs';
import type { CliContext } from '../context/context.ts';

const REFERENCE = /^\s*pepper:\s*['"]?\$\{(\w+):-/m;

/** Which pepper a printed key is made with: a key works only where the gateway has the same. */
export function pepperNote(gatewayFile: string, variables: CliContext['env']): string {
  const variable = REFERENCE.exec(readFileSync(gatewayFile, 'utf8'))?.[1];
  if (variable === undefined || (variables[variable] ?? '') !== '')
    return `note: the key is made with auth.apiKeys.pepper of ${gatewayFile}; it works where the gateway has the same one\n`;
  return [
    `note: ${variable} is not set, so the key is made with the default in ${gatewayFile}, which everybody can read.`,
    `    hint: set ${variable} to the pepper of your gateway, or name its file: portico -c <file> keys create …\n`,
  ].join('\n');
}
