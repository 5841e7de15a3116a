import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { join } from 'node:path';
import { env } from 'node:process';
import { sampleCredentials } from '../../../src/cli/demo/serve.ts';

/** Stands in every secret that a test makes up, and in those fields of services that nobody may see. */
export const MARKER = 'secretmarker';

/** The variable that names the folder in which all processes of a run note what they saw. */
export const FOLDER_VARIABLE = 'MARKER_FOLDER';

const { users, catalog, orders } = sampleCredentials;
const BASIC = Buffer.from(`${users.user}:${users.password}`).toString('base64');
const TOKEN = 'eyJ[\\w-]{10,}\\.eyJ[\\w-]{10,}\\.[\\w-]{10,}';
/** A whole key, but where the operator's listener answers the one who has it made: there it is shown, this once. */
const KEY = '(?<!\\r\\n\\r\\n\\{"secret":")ptk_[a-z0-9]{12}_[0-9A-Za-z]{38,70}';

/** How peppers, keys and tokens of the tests begin. */
const OF_TESTS = ['a-pepper-of-', 'a-test-key-', 'a-configured-key-', 'a-token-of-'];

/** Not within a request id, which is random: of a million lines, one had it. */
const WORD = '(?<!req_[\\w-]{0,16})canary';

/** What comes out of nothing: marked secrets, those of the samples, whole tokens. */
const ANYWHERE = [MARKER, WORD, ...OF_TESTS, users.password, BASIC, catalog.key, orders.token, TOKEN];
const patterns = {
  /** A command tells the operator the key that it has made. */
  command: new RegExp(ANYWHERE.join('|'), 'i'),
  gateway: new RegExp([...ANYWHERE, KEY].join('|'), 'i'),
};

/** What an output is of. */
export type OutputOf = keyof typeof patterns;

/** Of a text that comes in pieces, so much is looked at again with the next one: a secret marker may be cut in two. */
const CARRIED = 128;
const AROUND = 40;

/** What has been looked at: pieces of text, their bytes, and the secret markers in them with what stands around. */
export type Totals = { outputs: number; bytes: number; found: string[] };

/** Looks at a text that comes in pieces. */
export type Look = (piece: string | Buffer) => void;

/** Looks for secret markers in whatever leaves gateways and commands. */
export type OutputWatch = {
  /** Looks at one output, such as a log. */
  of(kind: OutputOf, where: string): Look;
  /** A gateway listens at a port: all that comes from there is looked at until the answered function is called. */
  port(port: number): () => void;
  readonly totals: Totals;
  /** Notes in the folder what was looked at since the last time, and answers the secret markers found since. */
  noteTotals(): readonly string[];
  /** Looks at no connection any more; notes the rest of the totals. */
  end(): void;
};

/** Creates a watch; what it finds is noted in the folder at once, where there is one. */
export function createOutputWatch(folder: string | undefined): OutputWatch {
  const totals: Totals = { outputs: 0, bytes: 0, found: [] };
  const ports = new Set<number>();

  function note(file: string, value: unknown): void {
    if (folder !== undefined) appendFileSync(join(folder, file), `${JSON.stringify(value)}\n`);
  }

  function of(kind: OutputOf, where: string): Look {
    let carried = '';
    return function look(piece) {
      totals.outputs += 1;
      totals.bytes += piece.length;
      const text = carried + (typeof piece === 'string' ? piece : piece.toString('latin1'));
      const match = patterns[kind].exec(text);
      carried = match === null ? text.slice(-CARRIED) : '';
      if (match === null) return;
      const around = text.slice(Math.max(0, match.index - AROUND), match.index + match[0].length + AROUND);
      totals.found.push(`${where}: ${JSON.stringify(around)}`);
      note('finds', totals.found.at(-1));
    };
  }

  /** All that a socket of this process receives passes `push`, whatever code reads it. */
  function onSocket(message: unknown): void {
    const { socket } = message as { socket: Socket };
    const push = socket.push.bind(socket);
    const looks = new Map<number, Look>();
    socket.push = (chunk: unknown, encoding) => {
      const { remotePort = 0 } = socket;
      if (chunk instanceof Uint8Array && ports.has(remotePort)) {
        const look = looks.get(remotePort) ?? of('gateway', `an answer from port ${remotePort}`);
        looks.set(remotePort, look);
        look(Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length));
      }
      return push(chunk, encoding);
    };
  }

  let noted = { outputs: 0, bytes: 0, found: 0 };
  function noteTotals(): readonly string[] {
    const { outputs, bytes, found } = totals;
    note('totals', { outputs: outputs - noted.outputs, bytes: bytes - noted.bytes });
    const fresh = found.slice(noted.found);
    noted = { outputs, bytes, found: found.length };
    return fresh;
  }

  subscribe('net.client.socket', onSocket);
  return {
    of,
    port(port) {
      ports.add(port);
      return () => void ports.delete(port);
    },
    totals,
    noteTotals,
    end() {
      unsubscribe('net.client.socket', onSocket);
      noteTotals();
    },
  };
}

/** The watch of this process, over everything that the harness starts. */
export const watch = createOutputWatch(env[FOLDER_VARIABLE]);

function linesOf<T>(folder: string, file: string): T[] {
  const path = join(folder, file);
  if (!existsSync(path)) return [];
  const lines = readFileSync(path, 'utf8').split('\n').slice(0, -1);
  return lines.map((line) => JSON.parse(line) as T);
}

/** The totals of all watches of a folder. */
export function readTotals(folder: string): Totals {
  const all = linesOf<Totals>(folder, 'totals');
  const sum = (name: 'outputs' | 'bytes') => all.reduce((total, one) => total + one[name], 0);
  return { outputs: sum('outputs'), bytes: sum('bytes'), found: linesOf(folder, 'finds') };
}

/** `secret markers: 0 found in 1234 outputs (5.6 MiB)`, and a line for each that was found. */
export function totalsText({ outputs, bytes, found }: Totals): string {
  const text = `secret markers: ${found.length} found in ${outputs} outputs (${(bytes / 1024 ** 2).toFixed(1)} MiB)`;
  return [text, ...found].join('\n    ');
}

/** The same text. Throws it where a secret marker was found. */
export function reportTotals(totals: Totals): string {
  const text = totalsText(totals);
  if (totals.found.length === 0) return text;
  throw Object.assign(new Error(text), { stack: text });
}
