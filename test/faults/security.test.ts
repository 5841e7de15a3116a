import { guaranteeRows } from './harness/guarantee-rows.ts';
import { securityRows } from './security-rows.ts';

guaranteeRows('security', securityRows);
