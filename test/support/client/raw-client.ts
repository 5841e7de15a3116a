import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createCondition } from '../time/eventually.ts';

/** One HTTP/1.1 answer as it came over the wire. */
export type RawAnswer = {
  readonly status: number;
  /** Names in lower case; the values of repeated lines are joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
};

/** A connection on which a test says exactly the bytes it means to. */
export type RawConnection = {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** The next answer; rejects if the connection ends before it is complete. `bodiless`: the answer to a HEAD. */
  answer(options?: { bodiless?: boolean }): Promise<RawAnswer>;
  /** Resolves once what was received, and no `answer` took, includes `text`. */
  receives(text: string): Promise<unknown>;
  /** How the server ended the connection, with the bytes that no `answer` took. */
  ended(): Promise<{ how: 'closed' | 'reset'; rest: Buffer }>;
  close(): void;
};

/** Longer than any gateway here takes to answer, or to give up, on a busy machine. */
const WITHIN_MS = 60_000;

type Framed = { answer: RawAnswer; bytes: number };

/** Connects to a port of this machine. */
export async function connectRaw(port: number): Promise<RawConnection> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  let received = Buffer.alloc(0);
  let how: 'closed' | 'reset' | undefined;
  const changes = createCondition();
  socket.on('data', (chunk) => {
    received = Buffer.concat([received, chunk]);
    changes.announce();
  });
  socket.on('end', () => {
    how ??= 'closed';
    socket.end();
    changes.announce();
  });
  socket.on('error', () => {
    how ??= 'reset';
    changes.announce();
  });
  await once(socket, 'connect');

  return {
    socket,
    send: (bytes) => socket.write(bytes),
    answer: ({ bodiless = false } = {}) =>
      changes.until(() => {
        const found = readAnswer(received, bodiless, how !== undefined);
        if (found === undefined && how !== undefined)
          throw new Error(`${how} after ${JSON.stringify(received.toString('latin1'))}`);
        if (found !== undefined) received = received.subarray(found.bytes);
        return found?.answer;
      }, WITHIN_MS),
    receives: (text) => changes.until(() => received.includes(text), WITHIN_MS),
    async ended() {
      const end = await changes.until(() => how, WITHIN_MS);
      return { how: end, rest: received };
    },
    close: () => socket.destroy(),
  };
}

/** Sends bytes on a new connection and takes one answer. */
export async function askRaw(port: number, bytes: string | Buffer): Promise<RawAnswer> {
  const connection = await connectRaw(port);
  try {
    connection.send(bytes);
    return await connection.answer({ bodiless: bytes.toString('latin1').startsWith('HEAD ') });
  } finally {
    connection.close();
  }
}

/** The Host line of every request. */
export const HOST = 'Host: api.example.test';

/** The head of a request, of exactly these lines. */
export function requestOf(...all: string[]): string {
  return [...all, '', ''].join('\r\n');
}

/** A request without a body, with the lines that every request needs. */
export function request(method: string, target: string, headers: readonly string[] = []): string {
  return requestOf(`${method} ${target} HTTP/1.1`, HOST, ...headers);
}

function readAnswer(bytes: Buffer, bodiless: boolean, isAll: boolean): Framed | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [first = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  const start = headEnd + 4;
  const body = readBody(bytes.subarray(start), { status, headers, bodiless, isAll });
  return body === undefined
    ? undefined
    : { answer: { status, headers, body: body.content }, bytes: start + body.bytes };
}

function readBody(
  bytes: Buffer,
  {
    status,
    headers,
    bodiless,
    isAll,
  }: { status: number; headers: Record<string, string>; bodiless: boolean; isAll: boolean },
): { content: Buffer; bytes: number } | undefined {
  if (bodiless || status < 200 || status === 204 || status === 304)
    return { content: Buffer.alloc(0), bytes: 0 };
  const length = headers['content-length'];
  if (length !== undefined) {
    const size = Number(length);
    return bytes.length < size ? undefined : { content: bytes.subarray(0, size), bytes: size };
  }
  if (headers['transfer-encoding'] === 'chunked') return readChunks(bytes);
  return isAll ? { content: bytes, bytes: bytes.length } : undefined;
}

function readChunks(bytes: Buffer): { content: Buffer; bytes: number } | undefined {
  const chunks: Buffer[] = [];
  let at = 0;
  for (;;) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return undefined;
    const size = parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const end = lineEnd + 2 + size + 2;
    if (bytes.length < end) return undefined;
    if (size === 0) return { content: Buffer.concat(chunks), bytes: end };
    chunks.push(bytes.subarray(lineEnd + 2, end - 2));
    at = end;
  }
}
