import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { AT_ONCE, dutyLines, findDuties } from './check-duties.ts';
import { startPortico } from './portico-server.ts';
import { startRedis, startRival, startUpstream } from './rivals.ts';

/** The page that `rivals/upstream.js` garbles. */
const RUBBISH_PAGE = 1_000_001;

/** Starts a gateway of that name with a low limit, a key, and a log of its own. */
async function startGateway(name: string, services: Parameters<typeof startPortico>[0]) {
  if (name === 'portico') {
    const portico = await startPortico(services);
    return { ...portico, logFile: join(services.scratch, name, 'access.log') };
  }
  const key = 'a-key-that-only-the-check-uses';
  const { running, target } = await startRival(name, '', { ...services, key });
  return { ...running, url: target.url, key, logFile: join(services.scratch, `${name}.log`) };
}

/**
 * Checks that the rivals with duties have what Portico has, and that Portico has it, before any of them is timed. Each has
 * a Redis and a legacy service of its own. @throws Error where one of them lacks a duty
 */
export async function checkGateways(scratch: string): Promise<void> {
  for (const name of ['portico', 'express-gateway', 'fastify-gateway']) {
    const folder = join(scratch, `check-${name}`);
    await mkdir(folder);
    const stops: (() => Promise<void>)[] = [];
    try {
      const redis = await startRedis(folder);
      stops.unshift(() => redis.stop());
      const upstream = await startUpstream(folder);
      stops.unshift(() => upstream.stop());
      const points = AT_ONCE / 4;
      const windows = `${String(points)} per 1s, ${String(60 * points)} per 60s`;
      const own = { redisUrl: redis.url, upstreamUrl: upstream.url, pointsPerSecond: points, windows };
      const gateway = await startGateway(name, { name, scratch: folder, ...own });
      stops.unshift(() => gateway.stop());
      const asked = { list: '/v1/users', passThrough: '/orders', rubbishPage: RUBBISH_PAGE };
      const stopUpstream = () => upstream.stop();
      const findings = await findDuties({ ...gateway, ...asked, stopUpstream, logMsMax: 5_000 });
      console.error(dutyLines(name, findings).join('\n'));
    } finally {
      for (const stop of stops) await stop();
    }
  }
}
