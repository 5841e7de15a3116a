import { guaranteeRows } from '../harness/guarantee-rows.ts';
import { upstreamRows } from './rows.ts';

guaranteeRows('upstreams', upstreamRows);
