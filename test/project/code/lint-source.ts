import { ESLint } from 'eslint';
import tseslint from 'typescript-eslint';

const root = new URL('../../../', import.meta.url).pathname;

/** ESLint as `npm run check` runs it; without the rules that ask the type checker, as the sources exist only in memory. */
export const eslint = new ESLint({ cwd: root, overrideConfig: [tseslint.configs.disableTypeChecked] });

/** The rules that a source breaks when it stands at that path. */
export async function broken(filePath: string, source: string): Promise<(string | null)[]> {
  const [result] = await eslint.lintText(source, { filePath });
  return result!.messages.map((message) => message.ruleId);
}

/** The lines of a source of src on which an export lacks a sentence. */
export async function undocumented(...lines: readonly string[]): Promise<number[]> {
  const [result] = await eslint.lintText(lines.join('\n'), { filePath: 'src/kernel/clock.ts' });
  return result!.messages.flatMap(({ ruleId, line }) => (ruleId?.startsWith('jsdoc/') ? [line] : []));
}
