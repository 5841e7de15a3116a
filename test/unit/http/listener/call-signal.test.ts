import { once } from 'node:events';
import { clientClosedRequest, CallSignal } from '../../../../src/http/listener/open-call.ts';
import type { GatewayError } from '../../../../src/kernel/errors/fault.ts';

describe('the signal of a call', () => {
  it('aborts with upstream_timeout once the deadline has expired, and hands the error over', async () => {
    const reported = await new Promise<[GatewayError, AbortSignal]>((resolve) => {
      const call = new CallSignal((error) => resolve([error, call.signal]));
      call.startDeadline(10);
    });

    const [error, signal] = reported;
    expect(error.code).toBe('upstream_timeout');
    expect(signal.aborted).toBe(true);
    expect(signal.reason).toBe(error);
  });

  it('aborts for those that listen already', async () => {
    const call = new CallSignal(() => undefined);
    call.startDeadline(10);

    await once(call.signal, 'abort');
  });

  it('keeps the first reason', () => {
    const call = new CallSignal(() => undefined);
    call.startDeadline(1_000);
    const reason = clientClosedRequest();
    call.abort(reason);
    call.abort(new Error('later'));

    expect(call.signal.reason).toBe(reason);
    expect(call.signal).toBe(call.signal);
  });

  it('holds no timer once it is settled or aborted', () => {
    const timers = () => process.getActiveResourcesInfo().filter((kind) => kind === 'Timeout').length;
    const before = timers();
    const settled = new CallSignal(() => undefined);
    settled.startDeadline(60_000);
    const aborted = new CallSignal(() => undefined);
    aborted.startDeadline(60_000);
    expect(timers()).toBe(before + 2);

    settled.settle();
    aborted.abort(clientClosedRequest());

    expect(timers()).toBe(before);
    expect(settled.signal.aborted).toBe(false);
  });

  it('never takes a deadline that a timer cannot hold for a short one', () => {
    const call = new CallSignal(() => undefined);
    call.startDeadline(100 * 86_400_000);

    expect(call.signal.aborted).toBe(false);
    call.settle();
  });
});
