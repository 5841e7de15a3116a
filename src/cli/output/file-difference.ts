import { diff } from 'node:util';

/** Lines of context around a difference. */
const AROUND = 2;

/** The lines of a text that another one has not, with `AROUND` lines before and after. */
export function fileDifference(before = '', after = ''): readonly string[] {
  const signs = { '-1': '+ ', '0': '  ', '1': '- ' } as const;
  const lines = diff(before.split('\n'), after.split('\n'));
  const isNear = (at: number) =>
    lines.slice(Math.max(0, at - AROUND), at + AROUND + 1).some(([kind]) => kind !== 0);
  return lines.flatMap(([kind, line], at) =>
    isNear(at) ? `${signs[kind]}${line}` : isNear(at - 1) ? '  …' : [],
  );
}
