import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { env } from 'node:process';
import { FOLDER_VARIABLE } from '../secret-markers/marker-watch.ts';

/**
 * Where the processes of tests keep what Node has compiled: each start takes half the CPU time. A run of jest has a folder
 * of its own, which goes with it, because each run bundles the program at another path.
 */
export const compileCache = () => join(env[FOLDER_VARIABLE] ?? tmpdir(), 'portico-compile-cache');
