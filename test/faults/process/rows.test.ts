import { guaranteeRows } from '../harness/guarantee-rows.ts';
import { processRows } from './rows.ts';

guaranteeRows('the fault matrix, the process', processRows);
