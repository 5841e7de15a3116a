/**
 * The sample user service and the sample catalogue as one process that takes its time and counts: when calls came, and
 * how many were under way. Started with the milliseconds that each takes to answer; prints where they listen.
 */
import { once } from 'node:events';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Counted } from '../gateway/budget-fleet.ts';
import { crmCard } from './scripts.ts';

const [usersMs = 0, catalogMs = 0] = process.argv.slice(2).map(Number);
const lag = monitorEventLoopDelay({ resolution: 1 });
lag.enable();

const item = (_: unknown, sku: number) => ({ sku, nm: 'x', txt: '', prc: '1', cc: 'TOY' });
const items = JSON.stringify(Array.from({ length: 20 }, item));

function serve(replyMs: number, answer: (res: ServerResponse, url?: string) => void): Server {
  let arrivals: number[] = [];
  let underWay = 0;
  let most = 0;
  return createServer((req, res) => {
    if (req.url === '/counted') {
      const counted: Counted = { arrivals, most, lagMs: lag.max / 1e6 };
      res.end(JSON.stringify(counted));
      lag.reset();
      [arrivals, most] = [[], 0];
      return;
    }
    arrivals.push(performance.now());
    underWay += 1;
    most = Math.max(most, underWay);
    setTimeout(() => {
      underWay -= 1;
      res.setHeader('Content-Type', 'application/json');
      answer(res, req.url);
    }, replyMs);
  });
}

const services = [
  serve(usersMs, (res, url = '') => res.end(JSON.stringify(crmCard(new URL(url, 'http://x').searchParams)))),
  serve(catalogMs, (res) => res.setHeader('X-Result-Count', '10000000').end(items)),
];
const ports = services.map(async (server) => {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
});
process.stdout.write(`${JSON.stringify(await Promise.all(ports))}\n`);
