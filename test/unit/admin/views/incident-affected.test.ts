import { NOW, viewOf } from '../../../support/admin/view-of-incident.ts';

const redis = { kind: 'redis', subject: 'keys+limits', cause: 'out of reach' } as const;

describe('who is affected', () => {
  const failed = { answers: { failed: 3, total: 8 } };
  it.each([
    ['callers with tokens; API keys are not affected', { ...failed, kind: 'issuer', subject: 'auth.jwt' }],
    ['callers with keys and tokens that are not known yet', { ...failed, ...redis }],
    [undefined, { ...failed, kind: 'source', subject: 'crm' }],
    [undefined, redis],
  ] as const)('is in words where callers are not known: %s', (affected, incident) =>
    expect(viewOf(incident).affected).toBe(affected),
  );
});

describe('an incident of a lost field', () => {
  const lost = { kind: 'field', subject: 'catalog products.price' } as const;
  it('names the operations whose callers get null', () =>
    expect(viewOf(lost).affected).toBe(
      'all who read price by products.list, products.get: they get null with 200',
    ));

  it('says since when no answer has lacked it', () =>
    expect(viewOf({ ...lost, seen: NOW - 26_000 }).next).toEqual([
      'no answer has lacked it for 26 seconds; it ends after 60, once the values count as back',
    ]));

  it.each([
    ['gone', 'many records lack it, so callers get null'],
    ['unreadable', 'many records have an unreadable one, so callers get null'],
  ])('names the command that accepts what is %s', (how, cause) => {
    const { line } = viewOf({ ...lost, cause }).todo;
    expect(line).toContain(`portico claims reset catalog field.price.${how} accepts it`);
  });
});
