import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Where the processes of tests keep what Node has made of the sources: each start takes half the CPU time. */
export const COMPILE_CACHE = join(tmpdir(), 'portico-compile-cache');
