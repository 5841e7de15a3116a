import type { Call } from '../../../src/pipeline/stages/call.ts';
import { useListener } from '../../support/gateway/public-listener.ts';
import { connectRaw, request } from '../../support/client/raw-client.ts';

describe('an answer of the public listener whose client goes', () => {
  const listener = useListener();

  it("is not sent to a client that has gone; the call's signal aborts and its log line says aborted", async () => {
    let gone: Promise<unknown> | undefined;
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    await listener.start((call) => {
      gone = new Promise((resolve) =>
        call.signal.addEventListener('abort', () => resolve(call.signal.reason)),
      );
      begun();
      return new Promise(() => undefined);
    });
    const connection = await connectRaw(listener.latest.port);
    connection.send(request('GET', '/v1/users'));
    await beginning;
    connection.close();

    expect(await gone).toMatchObject({ name: 'ClientGone' });
    expect(await listener.latest.line(({ aborted }) => aborted === true)).toMatchObject({
      level: 30,
      status: null,
    });
    expect(listener.latest.finished).toEqual([{ operation: 'users.list', status: 499 }]);
  });

  it('is dropped with the answers queued behind it once their client has gone', async () => {
    const calls: Call[] = [];
    let begun = () => {};
    const beginning = new Promise<void>((resolve) => (begun = resolve));
    await listener.start((call) => {
      if (calls.push(call) === 3) begun();
      return new Promise(() => undefined);
    });
    const connection = await connectRaw(listener.latest.port);
    connection.send(request('GET', '/v1/users').repeat(3));
    await beginning;
    const signals = calls.map(
      ({ signal }) => new Promise((resolve) => signal.addEventListener('abort', resolve)),
    );
    connection.close();

    await Promise.all(signals);
    await listener.latest.line(
      () => listener.latest.finished.length === 3 && listener.latest.lines.length === 3,
    );
  });
});
