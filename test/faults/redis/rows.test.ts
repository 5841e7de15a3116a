import { guaranteeRows } from '../harness/guarantee-rows.ts';
import { redisRows } from './rows.ts';

guaranteeRows('Redis', redisRows);
