import { guaranteeRows } from '../faults/harness/guarantee-rows.ts';
import { themes } from './table.ts';

for (const [theme, rows] of Object.entries(themes))
  guaranteeRows(`what is promised of a migration, ${theme}`, rows);
