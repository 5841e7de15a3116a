import { Socket } from 'node:net';
import { createPausedConnections } from '../../../../src/http/shedding/paused-connections.ts';

/** A collection whose clock stands still until it is told otherwise, without spare capacity. */
function collection() {
  let now = 1_000;
  let spare = 0;
  let tickListener: (() => void) | undefined;
  let onRead: () => void;
  const told: Socket[] = [];
  const paused = createPausedConnections({
    clock: { monotonic: () => now },
    spareCapacity: () => spare,
    onTick: (listener) => void (tickListener = listener),
    afterReading: (listener) => void (onRead = listener),
    onResume: (socket) => void told.push(socket),
  });
  return {
    paused,
    told,
    refuse: (count: number) => {
      const sockets = Array.from({ length: count }, () => new Socket());
      for (const socket of sockets) paused.pause(socket);
      return sockets;
    },
    pass: (ms: number) => void (now += ms),
    spareCapacity: (requests: number) => void (spare = requests),
    tick: () => {
      const listener = tickListener;
      tickListener = undefined;
      listener?.();
    },
    isAwaited: () => tickListener !== undefined,
    read: () => onRead(),
  };
}

const resumedOf = (sockets: readonly Socket[]) => sockets.map((socket) => !socket.isPaused());

describe('paused connections', () => {
  it('are told of when they are read again', () => {
    const { told, refuse, pass, tick } = collection();
    const sockets = refuse(2);
    pass(4);
    tick();
    expect(told).toEqual([sockets[0]]);
  });

  it('are resumed in the order in which they were paused, three in ten milliseconds', () => {
    const { refuse, pass, tick } = collection();
    const sockets = refuse(4);
    expect(resumedOf(sockets)).toEqual([false, false, false, false]);
    pass(7);
    tick();
    expect(resumedOf(sockets)).toEqual([true, true, false, false]);
    pass(7);
    tick();
    expect(resumedOf(sockets)).toEqual([true, true, true, true]);
  });

  it('are resumed sooner with spare capacity', () => {
    const { refuse, spareCapacity, tick, isAwaited } = collection();
    const sockets = refuse(4);
    spareCapacity(3);
    tick();
    expect(resumedOf(sockets)).toEqual([true, true, true, false]);
    tick();
    expect(resumedOf(sockets)).toEqual([true, true, true, true]);
    expect(isAwaited()).toBe(false);
  });

  it('wait for five seconds at most, however many they are, as expectedPauseMs says', () => {
    const { paused, refuse, pass, tick } = collection();
    refuse(99);
    expect(paused.expectedPauseMs).toBe(334);
    const last = refuse(20_000).at(-1);
    expect(paused.expectedPauseMs).toBe(5_001);
    for (let ms = 0; ms < 60_000 && paused.count > 20_099 / Math.E; ms += 10) {
      pass(10);
      tick();
    }
    expect(last?.isPaused()).toBe(true);
  });

  it('are not all resumed at once after a stall', () => {
    const { paused, refuse, pass, tick } = collection();
    refuse(200);
    pass(60_000);
    tick();
    expect(paused.count).toBe(170);
  });

  it('are all resumed when shedding stops', () => {
    const { paused, refuse } = collection();
    const sockets = refuse(3);
    paused.resumeAll();
    expect(resumedOf(sockets)).toEqual([true, true, true]);
    expect(paused.pausedMs(sockets[0]!)).toBe(0);
  });
});

describe('the pause of a request that waited unread', () => {
  it('is that of its connection, for what was there to read when it resumed', () => {
    const { paused, refuse, pass, tick, read } = collection();
    const [asksAgain, waits] = refuse(2) as [Socket, Socket];
    pass(100);
    tick();
    expect(paused.pausedMs(asksAgain)).toBe(100);
    expect(paused.pausedMs(asksAgain)).toBe(0);
    read();
    expect(paused.pausedMs(waits)).toBe(0);
  });

  it('is 0 once no connection was paused for half a second', () => {
    const { paused, refuse, pass, tick } = collection();
    const [socket] = refuse(1) as [Socket];
    pass(501);
    tick();
    expect(paused.pausedMs(socket)).toBe(0);
  });
});
