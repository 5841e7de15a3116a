import { fromFirstKnownPoint } from '../../../../../src/admin/console/page/charts/traffic-lines.ts';

const MINUTE = 60_000;
const START = Date.parse('2026-03-01T12:00:00Z');

/** An hour of data points of a minute, of a gateway that began so many minutes before its end. */
function hour(minutesUp: number) {
  const at = Array.from({ length: 60 }, (_, slot) => START + slot * MINUTE);
  const counts = at.map((_, slot) => slot);
  return {
    ...{ at, stepMs: MINUTE, since: new Date(START + (60 - minutesUp) * MINUTE).toISOString() },
    series: { requests: { byStatusClass: { '2xx': counts } }, latency: { boundsMs: [1, 2], p50Ms: counts } },
  };
}

describe('the data points that a chart draws', () => {
  it('are all where the gateway is older than they are', () => {
    const history = hour(90);
    expect(fromFirstKnownPoint(history)).toBe(history);
  });

  it('begin with the gateway, in every list alike', () => {
    const { at, series } = fromFirstKnownPoint(hour(40));
    expect(at[0]).toBe(START + 20 * MINUTE);
    expect(series.requests.byStatusClass['2xx']).toHaveLength(40);
    expect(series.requests.byStatusClass['2xx'][0]).toBe(20);
    expect(series.latency).toEqual({ boundsMs: [1, 2], p50Ms: series.requests.byStatusClass['2xx'] });
  });

  it('are never fewer than thirty', () => {
    expect(fromFirstKnownPoint(hour(1)).at).toHaveLength(30);
  });
});
