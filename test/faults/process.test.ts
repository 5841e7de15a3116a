import { guaranteeRows } from './harness/guarantee-rows.ts';
import { processRows } from './process-rows.ts';

guaranteeRows('the process', processRows);
