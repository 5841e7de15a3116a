import { attackRows } from './attacks.ts';
import { secretMarkerRows } from './secret-markers.ts';
import { changeRows } from './changes.ts';
import { docsRows } from './docs.ts';
import { figureRows } from './figures.ts';
import type { BenchRow } from '../faults/harness/row.ts';
import { incidentRows } from './incidents.ts';
import { loginRows } from './login.ts';
import { pictureRows } from './pictures.ts';
import { questionRows } from './questions.ts';
import { recordFigureRows } from './record-figures.ts';
import { viewRows } from './views.ts';

/** Every row, in its order. A new theme is a file of its own and a line here. */
export const browserRows: readonly BenchRow[] = [
  ...docsRows,
  ...loginRows,
  ...viewRows,
  ...figureRows,
  ...recordFigureRows,
  ...pictureRows,
  ...changeRows,
  ...attackRows,
  ...secretMarkerRows,
  ...questionRows,
  ...incidentRows,
];
