import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/*
 * Loaded before a program (`node --import`): writes the address of every file that it loads to the file that
 * `MODULES_FILE` names, a line each.
 */

const listFile = process.env['MODULES_FILE'];

registerHooks({
  load(url, context, nextLoad) {
    if (listFile !== undefined && url.startsWith('file:')) appendFileSync(listFile, `${url}\n`);
    return nextLoad(url, context);
  },
});
