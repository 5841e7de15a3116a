import { guaranteeRows } from '../harness/guarantee-rows.ts';
import { securityRows } from './rows.ts';

guaranteeRows('the fault matrix, security', securityRows);
