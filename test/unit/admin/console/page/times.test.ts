import {
  agoText,
  clockText,
  instantText,
  scopeText,
  timeText,
} from '../../../../../src/admin/console/page/show/times.ts';

const now = Date.parse('2026-11-22T14:02:31.500Z');

describe('times as people read them', () => {
  it('are in UTC, as in the log', () => {
    expect(clockText('2026-11-22T14:02:31.000Z')).toBe('14:02:31');
    expect(clockText('2026-11-22T16:02:31.000+02:00')).toBe('14:02:31');
    expect(instantText(now)).toBe('2026-11-22 14:02:31 UTC');
  });

  it('have their day where that is not clear', () => {
    expect(timeText('2026-11-22T09:00:00Z', now)).toBe('09:00:00');
    expect(timeText('2026-11-20T09:00:00Z', now)).toBe('2026-11-20 09:00');
  });

  it('say how long ago, and how long until', () => {
    expect(agoText(now - 500, now)).toBe('now');
    expect(agoText(now - 180_000, now)).toBe('3 min ago');
    expect(agoText(now + 7_200_000, now)).toBe('in 2 h');
  });

  it.each([null, undefined, 'yesterday', Number.NaN, 9e15])(
    'are a dash where there is no instant: %p',
    (instant) => {
      expect([
        clockText(instant),
        timeText(instant, now),
        agoText(instant, now),
        instantText(instant),
      ]).toEqual(Array.from({ length: 4 }, () => '–'));
    },
  );
});

describe('of whom a figure is', () => {
  it.each([
    ['process', undefined, 'Of one process of this gateway'],
    ['workers', 1, 'Of the one process of this gateway'],
    ['workers', 4, 'Of all 4 workers of this gateway'],
    ['workers', undefined, 'Of all workers of this gateway'],
    ['fleet', undefined, 'Of the whole fleet'],
  ])('%s of %p', (scope, processes, text) => {
    expect(scopeText(scope, null, processes, now)).toBe(text);
  });

  it('is told with its beginning', () => {
    expect(scopeText('fleet', '2026-11-22T13:00:00Z', undefined, now)).toBe(
      'Of the whole fleet, since 13:00:00 UTC',
    );
  });
});
