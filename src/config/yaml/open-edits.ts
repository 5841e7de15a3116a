// Finds decisions that a draft of `portico infer` leaves to a person, so that each start and `portico check` report them until
// somebody makes them.

import type { Problem } from './problem.ts';
import type { YamlFile } from './yaml-file.ts';

const EDIT = /(?:^|\s)#\s*(?=EDIT:)(.*)$/;
/** A comment line that continues the one above, because it does not begin another note of the draft. */
const GOES_ON = /^\s*#(?!\s*(?:EDIT|sure|likely):)\s*(.*)$/;

/** Finds each comment `EDIT: …` of a file, with its line. `portico infer` writes them where it could not decide. */
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
