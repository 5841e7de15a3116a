import { guaranteeRows } from '../faults/harness/guarantee-rows.ts';
import { asFaultRow } from './row.ts';
import { themes } from './table.ts';

for (const [theme, rows] of Object.entries(themes))
  guaranteeRows(`what operators are promised, ${theme}`, rows.map(asFaultRow));
