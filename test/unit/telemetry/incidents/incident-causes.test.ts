import { createNight } from './incident-night.ts';

describe('an incident of a source', () => {
  it.each([
    ['timeout', 'credential', 0],
    ['error', 'shape', 0],
    ['unreachable', 'limited', 0],
    ['shape', 'outcome', 1],
  ])(
    'that failed by %s, and fails by %s within ten minutes, has reopened %i times',
    (before, after, reopened) => {
      const night = createNight();
      night.seconds(10, () => night.calls('crm', 0, 2, before));
      night.seconds(100);
      night.seconds(10, () => night.calls('crm', 0, 2, after));
      expect(night.short()).toEqual([`source crm open ${reopened}`]);
    },
  );

  it('is one that first hangs, and then is not asked for minutes', () => {
    const night = createNight();
    night.seconds(10, () => night.calls('crm', 0, 2, 'timeout'));
    night.seconds(120, () => night.calls('crm', 0, 2, 'not_asked'));
    night.seconds(10, () => night.calls('crm', 0, 2, 'unreachable'));
    expect(night.short()).toEqual(['source crm open 0']);
  });
});
