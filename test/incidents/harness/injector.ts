import { setTimeout as sleep } from 'node:timers/promises';
import {
  type Answer,
  serving,
  startUpstream,
  type UpstreamRequest,
} from '../../support/upstream/scripted-upstream.ts';

/** How a service answers: well, or with a fault. */
export type Manner = 'well' | 'fails' | 'lags' | 'slow' | 'hangs' | 'refuses' | 'other' | 'renamed';

/** A call that an injector took, and what it did with it. */
export type InjectedCall = {
  readonly at: number;
  readonly host: string;
  readonly manner: Manner;
  /** When it was answered; that of one that was not is `at`. */
  endedAt: number;
};

/** What is injected: a manner, for a share of the calls. */
export type Injected = { readonly manner: Manner; readonly share?: number };

/** A service that is harmed on purpose. Its log is the truth that incidents are held against. */
export type Injector = {
  /** The origins of its hosts. */
  readonly origins: readonly string[];
  readonly log: readonly InjectedCall[];
  /** Answers so from now on. */
  inject(next: Injected): void;
  /** Ends a host, by its place among the origins, or starts it again. */
  power(host: number, isOn: boolean): Promise<void>;
  stop(): Promise<unknown>;
};

/** A call that takes so long is slow; the timeout of calls is longer. */
const SLOW_MS = 1_500;
/** A call that takes so long is not. */
const LAG_MS = 500;

/** Starts a service of some hosts that answers as `well` says, until something is injected. */
export async function startInjector(
  well: (request: UpstreamRequest) => unknown,
  hosts = 1,
): Promise<Injector> {
  const log: InjectedCall[] = [];
  let injected: Injected = { manner: 'well' };
  let asked = 0;

  function nextManner(): Manner {
    // Evenly, so that the share is exact.
    const { share = 1 } = injected;
    asked += 1;
    return Math.floor(asked * share) > Math.floor((asked - 1) * share) ? injected.manner : 'well';
  }

  async function answer(request: UpstreamRequest): Promise<Answer> {
    const host = request.origin.replace('http://', '');
    const manner = nextManner();
    const call = { at: Date.now(), host, manner, endedAt: Date.now() };
    log.push(call);
    switch (manner) {
      case 'fails':
        return { status: 500, body: { fault: 'INTERNAL' } };
      case 'refuses':
        return { status: 401, body: { fault: 'WHO ARE YOU' } };
      case 'other':
        return { body: { v2: { people: [] } } };
      case 'hangs':
        return undefined;
      case 'renamed':
        return { body: JSON.stringify(await well(request)).replaceAll('"mail"', '"eMail"') };
      case 'lags':
        await sleep(LAG_MS);
        return { body: await well(request) };
      case 'slow':
        await sleep(SLOW_MS);
        call.endedAt = Date.now();
        return { body: await well(request) };
      case 'well':
        return { body: await well(request) };
    }
  }

  const started = await Promise.all(Array.from({ length: hosts }, () => startUpstream(serving(answer))));
  return {
    origins: started.map(({ origin }) => origin),
    log,
    inject: (next) => void ([injected, asked] = [next, 0]),
    power: async (host, isOn) => started[host]?.[isOn ? 'up' : 'down'](),
    stop: () => Promise.all(started.map((host) => host.close())),
  };
}
