import { createNight, only } from './incident-night.ts';

describe('a lost field', () => {
  it('says who reads it while it is lost', () => {
    const night = createNight();
    const lacking = Buffer.from('{"data":[{"email":"a@b.test"},{"email":null}]}');
    const whole = Buffer.from('{"data":[{"email":"a@b.test"},{"email":"null"},{"mail":null}]}');
    const readers = (...callers: readonly string[]) =>
      callers.forEach((caller) => night.tracker.answered('crm.list', caller, lacking));
    const readBy = { operations: ['crm.list'], lack: '"email":null' };
    const lost = { kind: 'field', subject: 'crm crm.email', readBy } as const;
    readers('early');
    night.state({ ...lost, cause: 'many records lack it', since: night.now });
    night.second();
    readers('a', 'b', 'a');
    night.tracker.answered('catalog.list', 'other', lacking);
    night.tracker.answered('crm.list', 'c', whole);
    night.state({ ...lost, cause: undefined });
    night.second();
    readers('late');
    const { callers, operations, answers } = only(night.incidents());
    expect({ callers, operations }).toEqual({ callers: { a: 2, b: 1 }, operations: { 'crm.list': 3 } });
    expect(answers.failed).toBe(0);
  });
});
