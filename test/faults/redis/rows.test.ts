import { guaranteeRows } from '../harness/guarantee-rows.ts';
import { redisRows } from './rows.ts';

guaranteeRows('the fault matrix, Redis', redisRows);
