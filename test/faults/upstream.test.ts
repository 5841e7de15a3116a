import { guaranteeRows } from './harness/guarantee-rows.ts';
import { upstreamRows } from './upstream-rows.ts';

guaranteeRows('upstreams', upstreamRows);
