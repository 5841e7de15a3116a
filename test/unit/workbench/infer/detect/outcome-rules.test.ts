import {
  codesIn,
  isAbsent,
  outcomeRule,
  successCode,
} from '../../../../../src/workbench/infer/detect/outcome-rules.ts';
import type { Json } from '../../../../../src/kernel/json/json.ts';
import type { UpstreamReply } from '../../../../../src/kernel/upstream-call.ts';

const failure = (status: number, document?: Json) => ({ reply: { status } as UpstreamReply, document });

describe('the codes of a reply', () => {
  it.each<[string, Json, readonly unknown[]]>([
    ['a number', { rc: 44 }, [{ at: 'rc', equals: 44 }]],
    ['a word', { error: { code: 'NOT_FOUND' } }, [{ at: 'error.code', equals: 'NOT_FOUND' }]],
    ['a flag', { success: false }, [{ at: 'success', equals: false }]],
    [
      'the outermost first',
      { status: 'error', fault: { code: 7 } },
      [
        { at: 'status', equals: 'error' },
        { at: 'fault.code', equals: 7 },
      ],
    ],
    ['that of a list of one', [{ errorCode: 'X1' }], [{ at: '[0].errorCode', equals: 'X1' }]],
    ['none in a list of several', [{ code: 1 }, { code: 2 }], []],
    ['no sentence', { error: 'There is no such record, because it was deleted: sorry!' }, []],
    ['no text that may hold the id that was asked for', { message: 'No user 42' }, []],
    ['nothing under another name', { rows: 3, name: 'ok' }, []],
  ])('are %s', (_what, document, expected) => expect(codesIn(document)).toEqual(expected));

  it('are not looked for without end', () => {
    let deep: Json = { code: 1 };
    for (let depth = 0; depth < 12; depth += 1) deep = { inner: deep };
    expect(codesIn(deep)).toEqual([]);
  });
});

describe('the rule for a failure', () => {
  it.each([404, 410, 302])('is its status alone, if that is plain: %i', (status) => {
    expect(outcomeRule(failure(status), undefined, { on: 'get', is: 'not_found' })).toEqual({
      ...{ status, on: 'get', is: 'not_found' },
    });
  });

  it.each([200, 401, 403, 500])(
    'needs a code with the status %i, which may mean something else',
    (status) => {
      expect(outcomeRule(failure(status), undefined, { is: 'not_found' })).toBeUndefined();
      expect(outcomeRule(failure(status, { rc: 44 }), { rc: 0 }, { is: 'not_found' })).toEqual({
        ...{ status, at: 'rc', equals: 44, is: 'not_found' },
      });
    },
  );

  it('takes no code that a success has, too', () => {
    expect(
      outcomeRule(failure(200, { type: 'list', rc: 9 }), { type: 'list', rc: 0 }, { is: 'error' }),
    ).toEqual({
      ...{ status: 200, at: 'rc', equals: 9, is: 'error' },
    });
    expect(outcomeRule(failure(200, { rc: 0 }), { rc: 0 }, { is: 'error' })).toBeUndefined();
  });

  it('prefers a code to a sentence', () => {
    const document = { message: 'Not there', code: 'E17' };
    expect(outcomeRule(failure(200, document), {}, { is: 'not_found' })).toMatchObject({ at: 'code' });
  });

  it('does without a sentence, if the status is plain', () => {
    expect(outcomeRule(failure(404, { message: 'Not there' }), {}, { is: 'not_found' })).toEqual({
      ...{ status: 404, is: 'not_found' },
    });
  });
});

describe('the code of a success', () => {
  it('is the one that all successes have and each failure has otherwise', () => {
    expect(
      successCode(
        [
          { rc: 0, type: 'a' },
          { rc: 0, type: 'b' },
        ],
        [{ rc: 44 }],
      ),
    ).toEqual({ at: 'rc', equals: 0 });
  });

  it.each<[string, readonly Json[], readonly Json[]]>([
    ['no failure was seen', [{ rc: 0 }], []],
    ['a failure has no such code', [{ rc: 0 }], [{ other: 1 }]],
    ['a failure has the same', [{ rc: 0 }], [{ rc: 0 }]],
    ['successes have different ones', [{ rc: 0 }, { rc: 1 }], [{ rc: 44 }]],
  ])('is not known if %s', (_why, successes, failures) => {
    expect(successCode(successes, failures)).toBeUndefined();
  });
});

describe('the place of a record', () => {
  it.each<[Json | undefined, boolean]>([
    [undefined, true],
    [null, true],
    ['', true],
    [[], true],
    [{}, false],
    [0, false],
    [false, false],
    [[{}], false],
  ])('with %j is empty: %s', (found, expected) => expect(isAbsent(found)).toBe(expected));
});
