import { fault } from '../../../src/kernel/errors/fault.ts';
import type { Handler } from '../../../src/pipeline/stages/call.ts';
import { replyOf, useListener } from '../../support/gateway/public-listener.ts';

describe('an answer of the public listener to a browser of another origin', () => {
  const empty: Handler = () => Promise.resolve(replyOf('{}'));
  const listener = useListener();
  const { start, ask } = listener;

  const cors = { origins: ['https://app.example.test'], maxAge: 600 };

  it('allows exactly the origins that are configured', async () => {
    await start(empty, { cors });

    const answer = await ask(['Origin: https://app.example.test']);
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.test');
    expect(answer.headers['access-control-expose-headers']).toContain('X-Request-Id');
    expect(answer.headers.vary).toBe('Authorization, X-API-Key, Origin');
    for (const origin of ['https://evil.example.test', 'https://app.example.test.evil.test', 'null', '*']) {
      const refused = await ask([`Origin: ${origin}`]);
      expect(refused.headers).not.toHaveProperty('access-control-allow-origin');
      expect(refused.headers.vary).toBe('Authorization, X-API-Key, Origin');
    }
  });

  it('lets it read errors too', async () => {
    await start(() => Promise.reject(fault('authentication_required')), { cors });

    const answer = await ask(['Origin: https://app.example.test']);
    expect(answer.status).toBe(401);
    expect(answer.headers['access-control-allow-origin']).toBe('https://app.example.test');
  });

  it('answers a preflight before any credential is asked for', async () => {
    await start(() => Promise.reject(fault('authentication_required')), { cors });

    const answer = await ask(
      ['Origin: https://app.example.test', 'Access-Control-Request-Method: GET'],
      'OPTIONS',
    );
    expect(answer.status).toBe(204);
    expect(answer.headers).toMatchObject({
      'access-control-allow-origin': 'https://app.example.test',
      'access-control-allow-methods': 'GET, HEAD',
      'access-control-allow-headers': 'Authorization, X-API-Key, If-None-Match',
      'access-control-max-age': '600',
    });
  });

  it('has no CORS headers where CORS is not configured', async () => {
    await start(empty);

    const answer = await ask(['Origin: https://app.example.test'], 'OPTIONS');
    expect(Object.keys(answer.headers).filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(answer.headers.vary).toBe('Authorization, X-API-Key');
  });
});
