import { fault } from '../../../../src/kernel/errors/fault.ts';
import { summariseCause } from '../../../../src/http/listener/cause-summary.ts';

describe("the summary of an error's causes", () => {
  it('names each cause with its code and message, outermost first', () => {
    const root = Object.assign(new Error('connect ECONNREFUSED 127.0.0.1:1'), { code: 'ECONNREFUSED' });
    const error = fault('upstream_unavailable', { cause: new TypeError('fetch failed', { cause: root }) });

    expect(summariseCause(error)).toBe(
      'TypeError: fetch failed < Error ECONNREFUSED: connect ECONNREFUSED 127.0.0.1:1',
    );
  });

  it('is undefined without a cause', () => {
    expect(summariseCause(fault('not_found'))).toBeUndefined();
  });

  it('never quotes the text that a parser could not read', () => {
    let parsing: unknown;
    try {
      JSON.parse('<canary>');
    } catch (thrown) {
      parsing = thrown;
    }

    expect(summariseCause(fault('upstream_invalid_response', { cause: parsing }))).toBe('SyntaxError');
  });

  it('says where the gateway itself failed, without folders', () => {
    const summary = summariseCause(fault('server_error', { cause: new Error('oops') }));

    expect(summary).toMatch(/^Error: oops < at .*cause-summary\.test\.ts:\d+:\d+\)?$/);
    expect(summary).not.toContain('/test/');
  });

  it('is bounded, for long messages and for causes in a circle', () => {
    const circular = new Error('x'.repeat(1_000));
    circular.cause = circular;

    expect(summariseCause(fault('upstream_error', { cause: circular }))).toHaveLength(300);
  });

  it.each([
    ['hunter2', 'a thrown string'],
    [{ password: 'hunter2' }, 'a thrown object'],
  ])('tells only the kind of what is no error', (cause, expected) => {
    expect(summariseCause(fault('upstream_error', { cause }))).toBe(expected);
  });
});
