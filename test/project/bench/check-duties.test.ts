import { appendFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { AT_ONCE, dutyLines, findDuties } from '../../bench/check-duties.ts';
import { serveHost } from '../../support/gateway/hosted.ts';
import { endAfterTest } from '../../support/jest/lifetime.ts';
import { createFolder } from '../../support/process/folder.ts';

const KEY = 'the-key';
const RUBBISH = 9;

/** A gateway that has all duties but those named. */
function createGateway(logFile: string, lacking: string) {
  let asked = 0;
  let isDown = false;
  const lacks = (duty: string) => lacking === duty;

  function statusOf({ url = '', headers }: IncomingMessage): number {
    const isKnown = headers.authorization === `Bearer ${KEY}`;
    if (!isKnown && !lacks(headers.authorization === '' ? 'callers' : 'keys')) return 401;
    asked += 1;
    if (asked > AT_ONCE / 4 && !lacks('limit')) return 429;
    if (headers['if-none-match'] === '"etag"' && !lacks('etag')) return 304;
    if (url.endsWith(`page=${RUBBISH}`)) return lacks('rubbish') ? 200 : 502;
    return isDown && url !== '/list' ? (lacks('down') ? 500 : 502) : 200;
  }

  function answer(req: IncomingMessage, res: ServerResponse): void {
    const status = statusOf(req);
    const caller = status === 401 || lacks('caller in the log') ? undefined : 'me';
    const secret = lacks('secrecy') ? req.headers.authorization : undefined;
    const line = { time: 1, method: req.method, url: req.url, status, durationMs: 1, caller, secret };
    if (!lacks('log')) appendFileSync(logFile, `${JSON.stringify(line)}\n`);
    res.writeHead(status, { ETag: '"etag"' }).end();
  }

  return { answer, stopUpstream: () => Promise.resolve(void (isDown = true)) };
}

async function check(lacking: string): Promise<readonly string[]> {
  const folder = endAfterTest(createFolder('duties'), (one) => one.remove());
  const logFile = join(folder.path, 'log');
  appendFileSync(logFile, '');
  const { answer, stopUpstream } = createGateway(logFile, lacking);
  const gateway = { url: await serveHost(answer), key: KEY, logFile, stopUpstream };
  const asked = { list: '/list', passThrough: '/other', rubbishPage: RUBBISH, logMsMax: 200 };
  return dutyLines('it', await findDuties({ ...gateway, ...asked }));
}

describe('the check of a rival', () => {
  it('says of a gateway with all duties what it found', async () => {
    const lines = await check('nothing');
    expect(lines).toContain('  /list with its ETag: 304');
    expect(lines).toContain('  the log of a 502: all fields');
  });

  it.each([
    ['callers', '/list without a key: 200; /other without a key: 200'],
    ['keys', '/list with a wrong key: 200; /other with a wrong key: 200'],
    ['limit', '/list over the limit: 0 of 80 are 429; /other over the limit: 0 of 80 are 429'],
    ['etag', '/list with its ETag: 200'],
    ['rubbish', '/list, the service sends rubbish: 200'],
    ['down', '/other, the service is down: 500'],
    ['log', 'the log of a 200: no line'],
    ['caller in the log', 'the log of a 200: no caller'],
    ['secrecy', 'the key in the log: there'],
  ])('refuses one that lacks a duty: %s', async (lacking, found) => {
    await expect(check(lacking)).rejects.toThrow('it is not measured, because it lacks a duty');
    await expect(check(lacking)).rejects.toThrow(found);
  });
});
