import { diff } from 'node:util';

/** Lines of context around a difference. */
const AROUND = 2;

/** The differences of two texts by line (`-` before, `+` after), each with `AROUND` lines of context. */
export function fileDifference(before = '', after = ''): readonly string[] {
  const signs = { '-1': '+ ', '0': '  ', '1': '- ' } as const;
  const lines = diff(before.split('\n'), after.split('\n'));
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([kind]) => kind !== 0);
  return lines.flatMap(([kind, line], at) =>
    isNear(at) ? `${signs[kind]}${line}` : isNear(at - 1) ? '  …' : [],
  );
}
