import { guaranteeRows } from '../faults/harness/guarantee-rows.ts';
import { themes } from './table.ts';

for (const [theme, rows] of Object.entries(themes))
  guaranteeRows(`what operators are promised, ${theme}`, rows);
