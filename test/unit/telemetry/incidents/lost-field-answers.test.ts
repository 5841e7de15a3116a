import { createNight, only } from './incident-night.ts';

describe('a lost field', () => {
  it('says who read it since it was lost, before that was noticed, too', () => {
    const night = createNight();
    const lacking = Buffer.from('{"data":[{"email":"a@b.test"},{"email":null}]}');
    const whole = Buffer.from('{"data":[{"email":"a@b.test"},{"email":"null"},{"mail":null}]}');
    const readers = (...callers: readonly string[]) =>
      callers.forEach((caller) => night.tracker.answered('crm.list', caller, lacking));
    const readBy = { operations: ['crm.list'], origin: 'legacy' as const, lack: '"email":null' };
    const lost = { kind: 'field', subject: 'crm crm.email', readBy } as const;
    readers('before');
    night.second();
    readers('early');
    night.state({ ...lost, cause: 'many records lack it', since: night.now });
    night.second();
    night.second();
    readers('a', 'b', 'a');
    night.tracker.answered('catalog.list', 'other', lacking);
    night.tracker.answered('crm.list', 'c', whole);
    night.tracker.answered('crm.list', 'moved', lacking, 'new');
    night.tracker.answered('crm.list', 'b', lacking, 'legacy');
    night.state({ ...lost, cause: undefined });
    night.second();
    readers('late');
    const { callers, operations, answers } = only(night.incidents());
    expect({ callers, operations }).toEqual({
      callers: { early: 1, a: 2, b: 2 },
      operations: { 'crm.list': 5 },
    });
    expect(answers.failed).toBe(0);
  });

  it('lasts until the last answer that lacks it, and is open as long as it counts as lost', () => {
    const night = createNight();
    const readBy = { operations: ['crm.list'], origin: 'legacy' as const, lack: '"email":null' };
    const lost = { kind: 'field', subject: 'crm crm.email', cause: 'many records lack it', readBy } as const;
    const since = night.now;
    const read = (value: string) => () => {
      night.state({ ...lost, since });
      night.tracker.answered('crm.list', 'a', Buffer.from(`{"email":${value}}`));
    };
    night.seconds(20, read('null'));
    night.seconds(70, read('"a@b.test"'));
    expect(only(night.incidents())).toMatchObject({ isOpen: true, reopened: 0, last: since + 19_000 });
    night.state({ ...lost, cause: undefined });
    night.second();
    expect(only(night.incidents())).toMatchObject({ isOpen: false, last: since + 19_000 });
  });
});
