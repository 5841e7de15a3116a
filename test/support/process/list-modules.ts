import { appendFileSync } from 'node:fs';
import { registerHooks } from 'node:module';

/*
 * Loaded before a program (`node --import`): writes the address of every file that it loads to the file that
 * `MODULES_FILE` names, a line each. When the program ends, it writes the names of Node's own modules, too: `builtin <name>`.
 */

const listFile = process.env['MODULES_FILE'];

function note(lines: string): void {
  if (listFile !== undefined) appendFileSync(listFile, lines);
}

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith('file:')) note(`${url}\n`);
    return nextLoad(url, context);
  },
});

process.on('exit', () => {
  // The types do not know it.
  const { moduleLoadList } = process as unknown as { moduleLoadList: readonly string[] };
  const names = moduleLoadList.map((line) => `builtin ${line.replace('NativeModule ', '')}\n`);
  note(names.join(''));
});
