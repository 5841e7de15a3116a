import { guaranteeRows } from './harness/guarantee-rows.ts';
import { redisRows } from './redis-rows.ts';

guaranteeRows('Redis', redisRows);
