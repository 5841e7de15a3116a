// ioredis makes the methods of all strings slow in V8, and src/store/redis/connection.ts makes them fast again.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const GATEWAY = join(import.meta.dirname, '../../../../src/gateway/gateway.ts');

/** A name of V8, which only a process with this flag may call. */
const ARE_FAST = '%HasFastProperties(String.prototype)';

function methodsOfStringsAreFast(imported: string): boolean {
  const program = `import ${JSON.stringify(imported)}; console.log(${ARE_FAST});`;
  const args = ['--allow-natives-syntax', '--input-type=module', '--eval', program];
  return execFileSync(process.execPath, args, { encoding: 'utf8' }) === 'true\n';
}

describe('the methods of strings', () => {
  it('are fast in a process that has loaded the gateway and its packages', () => {
    expect(methodsOfStringsAreFast(GATEWAY)).toBe(true);
  });

  // If it fails, `connection.ts` no longer needs to make them fast.
  it('are slow in a process that has only loaded ioredis', () => {
    expect(methodsOfStringsAreFast(import.meta.resolve('ioredis'))).toBe(false);
  });
});
