import { clientRows } from './client-rows.ts';
import { guaranteeRows } from './harness/guarantee-rows.ts';

guaranteeRows('clients', clientRows);
