import { Socket } from 'node:net';
import { createPausedConnections } from '../../../../src/http/shedding/paused-connections.ts';

/** A collection whose time stands still until told, with nobody's room to spare. */
function collection() {
  let now = 1_000;
  let room = 0;
  let onTurn: (() => void) | undefined;
  let onRead: () => void;
  const unheard = createPausedConnections({
    monotonic: () => now,
    takeRoom: () => room,
    atNextTurn: (listener) => void (onTurn = listener),
    afterReading: (listener) => void (onRead = listener),
  });
  return {
    unheard,
    refuse: (count: number) => {
      const sockets = Array.from({ length: count }, () => new Socket());
      for (const socket of sockets) unheard.pause(socket);
      return sockets;
    },
    pass: (ms: number) => void (now += ms),
    makeRoom: (places: number) => void (room = places),
    turn: () => {
      const listener = onTurn;
      onTurn = undefined;
      listener?.();
    },
    isAwaited: () => onTurn !== undefined,
    read: () => onRead(),
  };
}

const heardOf = (sockets: readonly Socket[]) => sockets.map((socket) => !socket.isPaused());

describe('refused connections', () => {
  it('are heard again in the order in which they were refused, three in ten milliseconds', () => {
    const { refuse, pass, turn } = collection();
    const sockets = refuse(4);
    expect(heardOf(sockets)).toEqual([false, false, false, false]);
    pass(7);
    turn();
    expect(heardOf(sockets)).toEqual([true, true, false, false]);
    pass(7);
    turn();
    expect(heardOf(sockets)).toEqual([true, true, true, true]);
  });

  it('are heard sooner where there is room', () => {
    const { refuse, makeRoom, turn, isAwaited } = collection();
    const sockets = refuse(4);
    makeRoom(3);
    turn();
    expect(heardOf(sockets)).toEqual([true, true, true, false]);
    turn();
    expect(heardOf(sockets)).toEqual([true, true, true, true]);
    expect(isAwaited()).toBe(false);
  });

  it('wait for five seconds at most, however many they are, and are told for how long', () => {
    const { unheard, refuse, pass, turn } = collection();
    refuse(99);
    expect(unheard.expectedPauseMs).toBe(334);
    const last = refuse(20_000).at(-1);
    expect(unheard.expectedPauseMs).toBe(5_001);
    for (let ms = 0; ms < 60_000 && unheard.count > 20_099 / Math.E; ms += 10) {
      pass(10);
      turn();
    }
    expect(last?.isPaused()).toBe(true);
  });

  it('are not all heard at once after a stall', () => {
    const { unheard, refuse, pass, turn } = collection();
    refuse(200);
    pass(60_000);
    turn();
    expect(unheard.count).toBe(170);
  });

  it('are all heard where the listener is left', () => {
    const { unheard, refuse } = collection();
    const sockets = refuse(3);
    unheard.resumeAll();
    expect(heardOf(sockets)).toEqual([true, true, true]);
    expect(unheard.pausedMs(sockets[0]!)).toBe(0);
  });
});

describe('how long a request waited unread', () => {
  it('is at most since its connection was refused, for what was there when that is heard again', () => {
    const { unheard, refuse, pass, turn, read } = collection();
    const [asksAgain, waits] = refuse(2) as [Socket, Socket];
    pass(100);
    turn();
    expect(unheard.pausedMs(asksAgain)).toBe(100);
    expect(unheard.pausedMs(asksAgain)).toBe(0);
    read();
    expect(unheard.pausedMs(waits)).toBe(0);
  });

  it('does not count once nobody was refused for half a second', () => {
    const { unheard, refuse, pass, turn } = collection();
    const [socket] = refuse(1) as [Socket];
    pass(501);
    turn();
    expect(unheard.pausedMs(socket)).toBe(0);
  });
});
