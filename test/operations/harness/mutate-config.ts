/** A small generator of random numbers, so that a run can be repeated. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

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
export function mutate(text: string, random: (below: number) => number): string {
  const lines = text.split('\n');
  const at = random(lines.length);
  const line = lines[at] ?? '';
  const changed = [
    [],
    [line, line],
    [`  ${line}`],
    [line.replace(/(\w)(\w+):/, '$2$1:')],
    [line.replace(/: .*/, `: ${WRONG_VALUES[random(WRONG_VALUES.length)] ?? ''}`)],
    [line.replace(/[:[{]/, '')],
    [line.replace(/\d+/, '0')],
  ][random(7)];
  return lines.toSpliced(at, 1, ...(changed ?? [])).join('\n');
}
