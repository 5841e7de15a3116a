import { resourceOfAuditTarget } from '../../../../src/admin/console/page/show/migration-texts.ts';
import { lineDigest } from '../../../../src/store/audit/audit-entry.ts';
import { NO_COUNTS } from '../../../../src/migration/counts/counts-store.ts';
import { createReport, resourceOfTarget } from '../../../../src/migration/report/create-report.ts';
import { BEGAN, gateFacts } from '../../../support/migration/migration-facts.ts';

/** Targets as the actions write them, and the resource that each is about. */
const TARGETS = {
  users: 'users',
  'users.get': 'users',
  'users walk': 'users',
  'users create': 'users',
  'users users.get': 'users',
  'users/r1': 'users',
  'usersold walk': 'usersold',
  products: 'products',
};

test('the report and the console find the resource of a target by the same rule', () => {
  for (const [target, resource] of Object.entries(TARGETS))
    expect([target, resourceOfTarget(target), resourceOfAuditTarget(target)]).toEqual([
      target,
      resource,
      resource,
    ]);
});

test('the history has long work, changes of one operation and explanations, and nothing of another resource', async () => {
  const lines = Object.keys(TARGETS).map((target, index) =>
    JSON.stringify({
      ...{ number: index + 1, gateway: 'g', at: '2026-01-01T00:00:00.000Z', actor: 'ana' },
      ...{ action: `migrations.no${index + 1}`, target, outcome: 'done', previous: lineDigest('') },
    }),
  );
  const report = createReport({
    counts: { differences: () => Promise.resolve([]) },
    gates: {
      facts: () => Promise.resolve(gateFacts({ counts: { 'users.get': NO_COUNTS }, now: BEGAN })),
    },
    audit: { lines: () => Promise.resolve(lines) },
  });
  const text = await report.reportText('users');
  const found = [...text.slice(text.indexOf('## History')).matchAll(/migrations\.no(\d+)/g)];
  expect(found.map(([, number]) => Number(number)).sort()).toEqual([1, 2, 3, 4, 5, 6]);
});
