import type { Random } from '../../../src/cli/demo/data/random.ts';

const WRONG_VALUES = [
  '-1',
  'null',
  '[]',
  '{}',
  '"',
  '99999999999',
  'true',
  '${NOT_SET_ANYWHERE}',
  '*unknown',
  '1e400',
];

/** A mutation of one line: dropped, doubled, moved, its key misspelt, its value of another type, or its YAML broken. */
export function mutate(text: string, random: Random): string {
  const lines = text.split('\n');
  const at = random.below(lines.length);
  const line = lines[at] ?? '';
  const changed = random.pick([
    [],
    [line, line],
    [`  ${line}`],
    [line.replace(/(\w)(\w+):/, '$2$1:')],
    [line.replace(/: .*/, `: ${random.pick(WRONG_VALUES)}`)],
    [line.replace(/[:[{]/, '')],
    [line.replace(/\d+/, '0')],
  ]);
  return lines.toSpliced(at, 1, ...changed).join('\n');
}
