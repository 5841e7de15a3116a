import { endedProblems } from '../../../../src/gateway/reload/ended-migrations.ts';
import type { KnownMigrations, SoundConfig } from '../../../../src/gateway/reload/reload-outcome.ts';
import { parseGateway } from '../../../support/gateway/parse-gateway.ts';

/** A configuration whose users are served as said. */
function configWith(users: object | undefined): SoundConfig {
  const gateway = parseGateway({ portico: 1, resources: users === undefined ? {} : { users } });
  const files = { gateway: { file: 'portico.yaml', text: '' }, contract: undefined, sources: [] };
  return { gateway, compiled: [], texts: { files, references: {} } };
}

const MOVING = { source: 'crm', migration: { to: 'people' } };
const FINISHED = { source: 'people' };
type Stage = NonNullable<KnownMigrations>[number]['stage'];

const at = (
  stage: Stage,
  operations?: Record<string, { stage: Stage; percent: number }>,
): KnownMigrations => [
  {
    ...{ resource: 'users', sources: ['crm', 'people'], rev: 3, stage, percent: stage === 'ramp' ? 5 : 0 },
    operations,
  },
];
const problems = (next: object | undefined, known: KnownMigrations) =>
  endedProblems(configWith(MOVING), configWith(next), () => Promise.resolve(known));

describe('a reload while a migration is under way', () => {
  it.each([
    [
      'takes it away',
      { source: 'crm' },
      at('ramp'),
      /from crm to people, at ramp:5: all callers get the answers of crm/,
    ],
    [
      'goes to another source',
      { source: 'crm', migration: { to: 'hr' } },
      at('shadow'),
      /at shadow: .* and one to hr begins/,
    ],
    ['takes its resource away', undefined, at('live'), /at live: users is not served any more/],
    ['skips its last step', FINISHED, at('live'), /at live: all callers get the answers of people/],
    [
      'goes back from complete',
      { source: 'crm' },
      at('complete'),
      /at complete: all callers get the answers of crm/,
    ],
    [
      'takes away one operation',
      { source: 'crm' },
      at('legacy', { 'users.get': { stage: 'ramp', percent: 1 } }),
      /at legacy/,
    ],
    ['comes while no process answers', { source: 'crm' }, undefined, /no process says where it is/],
  ])('is refused if it %s, and says what would end', async (_what, next, known, said) => {
    expect(await problems(next, known)).toEqual([expect.stringMatching(said)]);
    expect((await problems(next, known))[0]).toMatch(/^portico\.yaml: resources\.users: .*--force/s);
  });

  it.each([
    ['it has not begun', { source: 'crm' }, at('legacy')],
    ['it is complete and its new source stays', FINISHED, at('complete')],
    [
      'its settings alone change',
      { source: 'crm', migration: { to: 'people', promote: 'auto' } },
      at('ramp'),
    ],
  ])('is allowed if %s', async (_what, next, known) => {
    expect(await problems(next, known)).toEqual([]);
  });
});
