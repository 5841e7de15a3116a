// What the two gateways have in common. They have the duties of Portico, from packages that are well kept.
import { Redis } from 'ioredis';
import pino from 'pino';
import { KEY, REDIS_URL } from './serve.js';

export const callers = new Map([[KEY, 'bench']]);

/** Commands of one turn of the event loop are sent at once. */
export const redis = new Redis(REDIS_URL, { enableAutoPipelining: true });

export const SECONDS_KEPT = 600;
export const UPSTREAM_MS_MAX = 5_000;

/** Writes many lines at once, because Portico does so too. */
export const logOutput = pino.destination({ minLength: 4_096, sync: false });
setInterval(() => logOutput.flush(), 50).unref();
