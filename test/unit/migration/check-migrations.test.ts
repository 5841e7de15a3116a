import { problemText } from '../../../src/config/yaml/problem.ts';
import { changed, gatewayText, loadTexts, sourceTexts } from '../../support/gateway/config-texts.ts';

/** The problems of a users resource that moves from `crm`, with what a test says of the migration. */
function problemsOf(migration: string, sources: Readonly<Record<string, string>> = {}): readonly string[] {
  const gateway = changed(gatewayText, 'source: crm', `source: crm\n    migration: { ${migration} }`);
  return loadTexts({ gateway, sources: { ...sourceTexts, ...sources } }).problems.map(problemText);
}

const oneProblem = (text: string) => [expect.stringContaining(text)];

describe('a declared migration', () => {
  it('is sound where both sources describe the resource', () => {
    expect(problemsOf('to: people')).toEqual([]);
    expect(problemsOf('to: people, stage: ramp, percent: 0.01, steps: [0.01, 100]')).toEqual([]);
  });

  it.each([
    ['to: peeple', 'resources.users.migration.to: no source is named "peeple"'],
    ['to: crm', 'the resource is served from this source already'],
    ['to: catalog', 'the source "catalog" does not describe users'],
    ['to: people, steps: [5, 1, 100]', 'the steps of a ramp rise, and the last one is 100'],
    ['to: people, steps: [1, 5]', 'the steps of a ramp rise, and the last one is 100'],
    ['to: people, stage: ramp', 'a ramp without a share serves nobody'],
    ['to: people, percent: 5', 'only a ramp has a share, and the stage is legacy'],
    ['to: people, allow: [a], deny: [b, a]', '"a" is in allow, too'],
    [
      'to: people, freeze: [{ from: 2026-12-24, until: 2026-12-24, why: holidays }]',
      'the window ends before it begins',
    ],
  ])('is refused with %s, by its place in the file', (migration, message) => {
    expect(problemsOf(migration)).toEqual(oneProblem(message));
    expect(problemsOf(migration)[0]).toMatch(/^portico\.yaml:\d+:\d+: resources\.users\.migration\./);
  });

  it('asks for a second person only where there are two, and no step is taken without a person', () => {
    const file = (tokens: string) =>
      changed(
        changed(
          gatewayText,
          'source: crm',
          'source: crm\n    migration: { to: people, approvals: 1, promote: auto }',
        ),
        '  token: ${ADMIN_TOKEN:-}',
        `  tokens: [${tokens}]`,
      );
    const tokenOf = (name: string) => `{ name: ${name}, role: operator, token: the-own-token-of-${name} }`;
    const found = (...names: string[]) =>
      loadTexts({ gateway: file(names.map(tokenOf).join()), sources: sourceTexts }).problems.map(problemText);
    const promote = expect.stringContaining('waits for no approval');
    const alone = expect.stringContaining('nobody could approve a step of another');
    expect(found('ana')).toEqual([promote, alone]);
    expect(found('ana', 'bea')).toEqual([promote]);
  });

  it('is refused where the sources do not have the same default order', () => {
    const people = changed(sourceTexts['people.yaml']!, 'order: id', 'order: source');
    expect(problemsOf('to: people', { 'people.yaml': people })).toEqual(
      oneProblem('do not have the same default order'),
    );
  });

  it('is refused where a scan of the new source may take as long as the whole answer', () => {
    const people = changed(sourceTexts['people.yaml']!, 'time: 8s', 'time: 60s');
    expect(problemsOf('to: people', { 'people.yaml': people })).toEqual(
      oneProblem('a scan of "people" may take as long as the whole answer'),
    );
  });

  it.each([
    [
      'longer',
      'to: people, recheck: { delay: 11s }',
      ['portico.yaml:40:48: resources.users.migration.recheck.delay'],
    ],
    ['as long', 'to: people, recheck: { delay: 10s }', []],
  ])('is told of by a recheck that waits %s than an answer is fresh', (_what, migration, places) => {
    const gateway = changed(gatewayText, 'source: crm', `source: crm\n    migration: { ${migration} }`);
    const notes = loadTexts({ gateway, sources: sourceTexts }).config.notes.map(problemText);
    const ofLag = notes.filter((note) =>
      note.includes('the gate asks for a lag of at most cache.fresh (10s)'),
    );
    expect(ofLag).toEqual(
      places.map((place) =>
        expect.stringMatching(new RegExp(`^${place}.*make cache.fresh of users 11s or longer`, 's')),
      ),
    );
  });
});
