import type { Problem } from './problem.ts';
import type { YamlFile } from './yaml-file.ts';

const EDIT = /(?:^|\s)#\s*(?=EDIT:)(.*)$/;
/** A comment that goes on, unless it begins another note of a draft. */
const GOES_ON = /^\s*#(?!\s*(?:EDIT|sure|likely):)\s*(.*)$/;

/** What a draft could not know and nobody has decided yet: each comment `EDIT: …` of a file, with its line. */
export function openEdits(yaml: YamlFile): readonly Problem[] {
  const { file } = yaml;
  const lines = yaml.text().split(/\r?\n/);
  return lines.flatMap((line, index) => {
    const said = EDIT.exec(line)?.[1];
    if (said === undefined) return [];
    const end = lines.findIndex((other, at) => at > index && !GOES_ON.test(other));
    const more = lines.slice(index + 1, end < 0 ? undefined : end).map((one) => GOES_ON.exec(one)?.[1] ?? '');
    const message = [said, ...more].join(' ').trim();
    return [{ file, line: index + 1, path: '', message, hint: 'decide it, then take the comment out' }];
  });
}
