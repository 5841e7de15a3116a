// Runs every fast row of table.ts as a test.

import { guaranteeRows } from '../faults/harness/guarantee-rows.ts';
import { themes } from './table.ts';

for (const [theme, rows] of Object.entries(themes))
  guaranteeRows(`what those who install Portico are promised, ${theme}`, rows);
