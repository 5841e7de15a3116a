import { rowsAt } from './base.ts';
import { type Examination, heardText } from '../session/probe-session.ts';
import { claimed, counted, type Finding, type Probe } from '../session/finding.ts';
import { hidesRows, isWithinReach, sizeOf } from '../session/source-variant.ts';
import { isDense, type Walk } from '../session/walk.ts';
import { type Footing, idsOf, listPlace, sameIds } from '../session/windows.ts';

/** Declared sizes besides the largest that are tried. */
const SIZES_TRIED = 4;

const HIDDEN = 'rows are left out of windows';
const BEYOND = 'it lies beyond window.depthMax';

/** Whether the window behind the first holds the rows behind the first. */
async function probeSecond(examination: Examination, footing: Footing, sample: Walk): Promise<Finding> {
  const { size } = footing.change;
  const tell = claimed(
    'second window',
    'the window behind the first holds the rows behind it',
    listPlace(examination, 'window'),
  );
  if (!isWithinReach(examination.list, size, size)) return tell('could not tell', BEYOND);
  const second = await rowsAt(examination, footing, { firstRow: size, size });
  const known = idsOf(footing.first);
  const ids = idsOf(second);
  const again = ids.filter((id) => known.includes(id)).length;
  const calls = [second.request];
  if (sample.complete && sample.end !== 'repeats' && sample.records.length <= size)
    return tell('could not tell', 'all rows stand in the first window');
  if (second.value === undefined) return tell('differs', heardText(second), { calls });
  if (ids.length === 0) return tell('could not tell', 'all rows stand in the first window');
  if (again === 0) return tell('agrees', `${counted(ids.length, 'row')}, all of them new`);
  if (again < ids.length)
    return tell('differs', `${counted(again, 'row')} of it came before: the windows are counted otherwise`, {
      calls,
      hint: 'window: { base: … }, or another kind of window: offset counts rows, page counts pages',
    });
  const { window } = examination.list;
  const { total } = footing.first.value;
  if (total === undefined ? 'pastEnd' in window && window.pastEnd === 'other' : total <= size)
    return tell('could not tell', 'all rows may stand in the first window');
  const hint = 'the name of the parameter that chooses the window';
  return tell('differs', 'the rows of the first window again', { calls, hint });
}

/** Whether a smaller page of a declared size begins and ends where it must. */
async function probeOneSize(
  examination: Examination,
  footing: Footing,
  sample: Walk,
  size: number,
): Promise<Finding> {
  const at = listPlace(examination, 'window', 'sizes');
  const tell = claimed(`size ${size}`, `pages of ${size} rows can be asked for`, at);
  if (!isWithinReach(examination.list, size, size)) return tell('could not tell', BEYOND);
  if (hidesRows(examination.list) || !isDense(sample)) return tell('could not tell', HIDDEN);
  const expected = sample.records.slice(size, size * 2).map(({ id }) => id);
  const page = await rowsAt(examination, footing, { firstRow: size, size });
  const ids = idsOf(page);
  const more = { calls: [page.request], hint: `take ${size} out of window.sizes` };
  if (page.value === undefined) return tell('differs', heardText(page), more);
  if (expected.length < size) return tell('could not tell', 'there are too few rows for a second page');
  if (sameIds(ids, expected)) return tell('agrees', 'the second page holds the rows behind the first');
  if (ids.length !== size)
    return tell('differs', `${counted(ids.length, 'row')} where ${size} were asked for`, more);
  if (examination.list.order === 'unknown')
    return tell('could not tell', 'other rows, but the file promises no order');
  return tell('differs', 'other rows than stand there in pages of another size', more);
}

/** What becomes of a call for more rows than the file says can be asked for. */
async function probeOver(examination: Examination, footing: Footing): Promise<Finding> {
  const size = sizeOf(examination.list);
  const key = examination.list.window.kind === 'page' ? 'sizes' : 'sizeMax';
  const tell = claimed(
    'over the size',
    `no call gives more than ${counted(size, 'row')}`,
    listPlace(examination, 'window', key),
  );
  if (!isWithinReach(examination.list, 0, size + 1)) return tell('could not tell', BEYOND);
  const over = await rowsAt(examination, footing, { firstRow: 0, size: size + 1 });
  const received = over.value?.received;
  if (received === undefined) return tell('agrees', `${size + 1} rows are refused: ${heardText(over)}`);
  if (received > size)
    return tell('noted', `${size + 1} asked for, ${received} given`, {
      hint: `a larger window.${key} makes scans cheaper`,
    });
  if (footing.first.value.received < size) return tell('could not tell', 'there are too few rows');
  return tell('agrees', `${size + 1} asked for, ${received} given`);
}

/** Declared sizes besides the largest, a few of them. */
function otherSizes({ list }: Examination): readonly number[] {
  if (list.window.kind !== 'page') return [];
  const others = list.window.sizes.filter((size) => size !== sizeOf(list)).sort((a, b) => a - b);
  const step = Math.max(1, Math.ceil(others.length / SIZES_TRIED));
  return others.filter((_, index) => index % step === 0);
}

/** Probes how a source with numbered windows counts rows and pages. */
export function numberingProbes(examination: Examination, footing: Footing, sample: Walk): readonly Probe[] {
  const { window } = examination.list;
  if (window.kind !== 'offset' && window.kind !== 'page') return [];
  const asDeclared = footing.change.size === sizeOf(examination.list);
  const sizes = asDeclared ? otherSizes(examination) : [];
  return [
    { name: 'second window', run: () => probeSecond(examination, footing, sample) },
    ...sizes.map((size) => ({
      name: `size ${size}`,
      run: () => probeOneSize(examination, footing, sample, size),
    })),
    ...(asDeclared ? [{ name: 'over the size', run: () => probeOver(examination, footing) }] : []),
  ];
}
