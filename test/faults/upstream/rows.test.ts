import { guaranteeRows } from '../harness/guarantee-rows.ts';
import { upstreamRows } from './rows.ts';

guaranteeRows('the fault matrix, upstreams', upstreamRows);
