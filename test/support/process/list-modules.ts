import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/*
 * Loaded before a program (`node --import`): writes the address of every file that it loads to the file that
 * `MODULES_FILE` names, a line each. When the program ends, it writes the names of Node's own modules, too: `builtin <name>`.
 */

const listFile = process.env['MODULES_FILE'];

registerHooks({
  load(url, context, nextLoad) {
    if (listFile !== undefined && url.startsWith('file:')) appendFileSync(listFile, `${url}\n`);
    return nextLoad(url, context);
  },
});

process.on('exit', () => {
  // The types do not know it.
  const { moduleLoadList } = process as unknown as { moduleLoadList: readonly string[] };
  const names = moduleLoadList.map((line) => `builtin ${line.replace('NativeModule ', '')}\n`);
  if (listFile !== undefined) appendFileSync(listFile, names.join(''));
});
