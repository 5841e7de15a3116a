import { fault } from '../../../../src/kernel/errors/fault.ts';
import type { Freshness } from '../../../../src/pipeline/stages/cache-fill.ts';
import { callOf, clock, found, openCached, settled } from '../../../support/pipeline/cached-answers.ts';

describe('an answer past its freshness', () => {
  /** A handler whose first answer, `old`, is `ageSeconds` old. */
  async function withOld(stale: Partial<Freshness>, ageSeconds: number) {
    const { serve, runs } = openCached({ stale });
    const first = serve(callOf());
    await settled();
    runs[0]!.finish(found('old', 10));
    await first;
    clock.advance(ageSeconds * 1_000);
    return { serve, runs };
  }

  it('is served at once while one new answer is made behind the callers', async () => {
    const { serve, runs } = await withOld({ staleWhileRevalidate: 20 }, 29);
    const replies = await Promise.all([serve(callOf()), serve(callOf()), serve(callOf())]);
    expect(replies.map(({ body, cache }) => `${body.toString()} ${cache}`)).toEqual(
      Array.from({ length: 3 }, () => 'old stale'),
    );
    await settled();
    expect(runs).toHaveLength(2);
    runs[1]!.finish(found('new', 10));
    await settled();
    expect(await serve(callOf())).toMatchObject({ body: Buffer.from('new'), cache: 'hit' });
  });

  it('is not served past the second that was allowed', async () => {
    const { serve, runs } = await withOld({ staleWhileRevalidate: 20 }, 30);
    const reply = serve(callOf());
    await settled();
    runs[1]!.finish(found('new', 10));
    expect(await reply).toMatchObject({ body: Buffer.from('new'), cache: 'miss' });
  });

  it.each([
    'upstream_unavailable',
    'upstream_timeout',
    'upstream_error',
    'upstream_invalid_response',
  ] as const)('stands in for a source that fails with %s, to the stated second', async (code) => {
    const { serve, runs } = await withOld({ staleIfError: 60 }, 69);
    const reply = serve(callOf());
    await settled();
    runs[1]!.fail(fault(code));
    expect(await reply).toMatchObject({ body: Buffer.from('old'), cache: 'stale' });
    clock.advance(1_000);
    const late = serve(callOf());
    await settled();
    runs[2]!.fail(fault(code));
    await expect(late).rejects.toMatchObject({ code });
  });

  it('hides no failure of our own', async () => {
    const { serve, runs } = await withOld({ staleIfError: 60 }, 11);
    const reply = serve(callOf());
    await settled();
    runs[1]!.fail(fault('server_error'));
    await expect(reply).rejects.toMatchObject({ code: 'server_error' });
  });

  it('gives way to the knowledge that the record is gone', async () => {
    const { serve, runs } = await withOld({ staleIfError: 60 }, 11);
    const reply = serve(callOf());
    await settled();
    runs[1]!.finish({ found: false, tags: [] });
    await expect(reply).rejects.toMatchObject({ code: 'not_found' });
  });

  it('is not asked for again right after a refresh that failed', async () => {
    const { serve, runs } = await withOld({ staleWhileRevalidate: 60 }, 11);
    await serve(callOf());
    await settled();
    runs[1]!.fail(fault('upstream_unavailable'));
    await settled();
    expect((await serve(callOf())).cache).toBe('stale');
    expect(runs).toHaveLength(2);
  });
});
