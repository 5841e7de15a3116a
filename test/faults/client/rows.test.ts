import { clientRows } from './rows.ts';
import { guaranteeRows } from '../harness/guarantee-rows.ts';

guaranteeRows('the fault matrix, clients', clientRows);
