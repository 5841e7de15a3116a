import { migrationReport } from '../../../../src/migration/report/migration-report.ts';
import { reportText } from '../../../../src/migration/report/report-text.ts';
import {
  BEGAN,
  gateFacts,
  goodEvidence,
  HOUR_MS,
  migrationConfig,
  migrationState,
} from '../../../support/migration/migration-facts.ts';

const decided = { owner: 'ana', reason: 'markup | of the old editor', until: '2026-12-01' };
const config = migrationConfig({ compare: { ignore: [{ path: 'data.profile.bio', ...decided }] } });
const state = migrationState({ walk: undefined, acknowledged: ['data.profile.bio'] });
const counts = {
  'users.get': goodEvidence(2_210, {
    uncompared: { dropped_rate: 7 },
    ...{ inconclusive: 41, lagMs: {}, transient: 20, given: 18, transients: { 'data.email|once': 20 } },
  }),
};
const text = reportText({
  ...{ ...migrationReport(gateFacts({ state, config, counts })), config },
  differences: [
    {
      ...{
        operation: 'users.get',
        path: 'data.name',
        kind: 'value',
        count: 37,
        ignored: false,
        hint: 'case-only',
      },
      ...{ firstAt: '2026-01-01T01:00:00.000Z', lastAt: '2026-01-01T02:00:00.000Z', samples: [] },
    },
  ],
  history: [
    {
      ...{ at: '2026-01-01T00:00:00.000Z', actor: 'ana', action: 'migrations.stage', outcome: 'done' },
      reason: 'wave 1',
    },
    {
      ...{ at: '2026-01-01T01:00:00.000Z', actor: 'bea', action: 'migrations.stage', outcome: 'done' },
      ...{ reason: 'in a hurry', after: { forced: ['soak: 19h, needs 24h'] } },
    },
  ],
  now: BEGAN + 48 * HOUR_MS,
});

describe('the report of a migration', () => {
  test.each([
    ['what the gate asks for and what there is', '| keys | users.get | 2210 | 2995 | no |'],
    ['what is met', '| soak | all | 2d | 1d | yes |'],
    ['the walk that is missing', '| walk | all | never | 0 differences | no |'],
    [
      'counts with the bound that they prove',
      '| users.get | 2210 | 0 | 0.135 % | 2210 | 0 | 0 | 20 | 41 | 0 | 0 | 0 |',
    ],
    ['what differed once, by field', '| users.get | data.email | at once | 0.881 % | 0 % | 18 |'],
    ['answers that were not compared, and why', '| dropped\\_rate | 7 | shadow.maxRps is used up'],
    ['latencies of both sources', '| 20 / 20 / 20 ms | 20 / 20 / 20 ms |'],
    [
      'rules with their owners and ends',
      '| ana | markup \\| of the old editor | 2026-12-01T00:00:00.000Z | yes |',
    ],
    ['differences by field', '| users.get | data.name | value | case-only | 37 | no |'],
    [
      'what a forced step went over',
      '| bea | migrations.stage | done | in a hurry: forced over soak: 19h, needs 24h |',
    ],
    ['what was done, by whom and why', '| ana | migrations.stage | done | wave 1 |'],
  ])('has %s', (_what, line) => {
    expect(text).toContain(line);
  });

  test('begins with plain sentences: what has moved, what was compared, what callers saw, and what remains', () => {
    const [, paragraph] = text.split('\n\n');
    expect(paragraph).toBe(
      [
        'users moves from crm to people. Since 2026-01-01T00:00:00.000Z, crm answers all callers, and people is asked besides.',
        'Since 2026-01-01T00:00:00.000Z, 2230 answers to 2210 different questions were compared: 0 differed, 20 differed once and then no more, and 0 only as a rule allows.',
        'Of 2210 calls of callers to people, crm answered 0 instead; 18 answers to callers were not what crm says.',
        'Before the next step, ramp:1, there remains: walk: never, needs 0 differences; users.get keys: 2210, needs 2995; users.get transient: data.email: 0.881 %, writes explain 0 %, needs at most 0.1 % more than writes explain.',
      ].join(' '),
    );
  });

  test('says at its head which step is next, and that it is not ready', () => {
    expect(text).toMatch(/^# Migration of users\n/);
    expect(text).toContain('## Gate of the next step: ramp:1, not ready');
  });
});
