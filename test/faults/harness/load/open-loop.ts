/**
 * A process of its own that asks at a given rate whatever becomes of the questions before: as many callers do who know
 * nothing of each other. It writes what it met, as JSON, to standard output.
 *
 *   node test/faults/harness/load/open-loop.ts '{"ports":[8080],"perSecond":1000, …}'
 */
import { connect, type Socket } from 'node:net';
import type { OpenLoop, OpenLoopFigure } from './offer.ts';

const plan = JSON.parse(process.argv[2] ?? '') as OpenLoop;
const HEAD_END = Buffer.from('\r\n\r\n');

const nothing = { offered: 0, sent: 0, late: 0, good: 0, refused: 0, other: 0, broken: 0 };
let figure = { ...nothing };
let times: number[] = [];
const free: Connection[] = [];
let over = false;
let count = 0;
/** At most ten a millisecond are asked for, so the numbers of a later process are others. */
const newFrom = (Math.floor(performance.timeOrigin) % 1e7) * 10;

/** One kept-alive connection, with one question at a time. */
class Connection {
  readonly #socket: Socket;
  #askedAt = 0;
  #pending: Buffer = Buffer.alloc(0);

  constructor(port: number) {
    this.#socket = connect({ port, host: '127.0.0.1', noDelay: true });
    this.#socket.on('data', (chunk) => this.#read(chunk));
    this.#socket.on('connect', () => free.push(this));
    this.#socket.on('error', () => undefined);
    this.#socket.on('close', () => {
      if (over) return;
      figure.broken += 1;
      setTimeout(() => new Connection(port), 100);
    });
  }

  ask(): void {
    this.#askedAt = performance.now();
    count += 1;
    figure.sent += 1;
    const request = plan.request.replace('{n}', String(1 + (count % 100)));
    this.#socket.write(request.replace('{new}', String(newFrom + count)), 'latin1');
  }

  #read(chunk: Buffer): void {
    this.#pending = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    const headBytes = this.#pending.indexOf(HEAD_END);
    if (headBytes === -1) return;
    const head = this.#pending.toString('latin1', 0, headBytes);
    const length = Number(/\r\nContent-Length: (\d+)/i.exec(head)?.[1] ?? 0);
    if (this.#pending.length < headBytes + HEAD_END.length + length) return;
    this.#pending = Buffer.alloc(0);
    this.#note(Number(head.slice(9, 12)), Number(/\r\nRetry-After: (\d+)/i.exec(head)?.[1] ?? 0));
  }

  #note(status: number, retryAfterSeconds: number): void {
    if (status === 200) {
      figure.good += 1;
      times.push(performance.now() - this.#askedAt);
    } else if (status === 503) figure.refused += 1;
    else figure.other += 1;
    // A caller who is told when to come back comes back then; others are not sent by this one meanwhile.
    if (plan.obeys && status === 503) setTimeout(() => free.push(this), retryAfterSeconds * 1_000);
    else free.push(this);
  }

  end(): void {
    this.#socket.destroy();
  }
}

function quantile(part: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * part))] ?? 0;
}

function askNext(): void {
  const connection = free.shift();
  if (connection === undefined) figure.late += 1;
  else connection.ask();
}

function tell(busyMs: number): void {
  times.sort((a, b) => a - b);
  const result: OpenLoopFigure = {
    ...figure,
    goodPerSecond: figure.good / plan.seconds,
    medianMs: quantile(0.5),
    p99Ms: quantile(0.99),
    busyPercent: busyMs / (10 * plan.seconds),
  };
  process.stdout.write(JSON.stringify(result));
}

/** Asks for so long. */
function ask(seconds: number): Promise<void> {
  const startedAt = performance.now();
  let offered = 0;
  return new Promise((resolve) => {
    const ticking = setInterval(() => {
      const passed = (performance.now() - startedAt) / 1_000;
      const due = Math.min(passed, seconds) * plan.perSecond;
      figure.offered += Math.max(0, Math.ceil(due - offered));
      for (; offered < due; offered += 1) askNext();
      if (passed < seconds) return;
      clearInterval(ticking);
      resolve();
    }, 1);
  });
}

const connections = Array.from(
  { length: plan.connections },
  (_, index) => new Connection(plan.ports[index % plan.ports.length] ?? 0),
);
while (free.length < plan.connections) await new Promise((resolve) => setTimeout(resolve, 5));
await ask(plan.warmSeconds);
figure = { ...nothing };
times = [];
const before = process.cpuUsage();
await ask(plan.seconds);
const { user, system } = process.cpuUsage(before);
over = true;
tell((user + system) / 1_000);
for (const connection of connections) connection.end();
process.exit(0);
