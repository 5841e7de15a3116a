import { REPLY_MARKER, type Mutant, type ReplyChange } from './case.ts';

/** A record that would pass for one of the source's, in a reply that nobody asked for. */
const SMUGGLED_BODY = JSON.stringify([
  { id: 1, name: REPLY_MARKER, title: REPLY_MARKER, email: REPLY_MARKER },
]);
const SMUGGLED = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${SMUGGLED_BODY.length}\r\n\r\n${SMUGGLED_BODY}`;

const headOf = ({ status, headers }: Mutant, framing: string) =>
  `HTTP/1.1 ${status} Whatever\r\n${headers.map(([name, value]) => `${name}: ${value}\r\n`).join('')}${framing}\r\n`;

/** The plain way: the length of the body, and the connection stays. */
export const plainHead = (mutant: Mutant) => headOf(mutant, `Content-Length: ${mutant.body.length}\r\n`);

const chunked = (body: Buffer) =>
  Buffer.concat([Buffer.from(`${body.length.toString(16)}\r\n`), body, Buffer.from('\r\n0\r\n\r\n')]);

/** What may become of the frame around a reply, by name. */
export const framingMutations: Readonly<Record<string, ReplyChange>> = {
  lengthOver: (mutant) =>
    void (mutant.wire = { head: (m) => headOf(m, `Content-Length: ${m.body.length + 50}\r\n`), then: 'end' }),
  lengthUnder: (mutant, random) => {
    const less = random.below(60);
    mutant.wire = {
      head: (m) => headOf(m, `Content-Length: ${Math.max(0, m.body.length - less)}\r\n`),
      then: 'keep',
    };
  },
  lengthOdd: (mutant, random) => {
    const value = random.pick([
      '-1',
      'abc',
      '1e3',
      '99999999999999999999',
      '0x10',
      '',
      '5, 6',
      '+5',
      '18446744073709551617',
    ]);
    mutant.wire = { head: (m) => headOf(m, `Content-Length: ${value}\r\n`), then: 'end' };
  },
  lengthTwice: (mutant) =>
    void (mutant.wire = {
      head: (m) => headOf(m, `Content-Length: ${m.body.length}\r\nContent-Length: 3\r\n`),
      then: 'end',
    }),
  lengthAndChunks: (mutant) =>
    void (mutant.wire = {
      head: (m) => headOf(m, 'Content-Length: 4\r\nTransfer-Encoding: chunked\r\n'),
      body: (m) => chunked(m.body),
      then: 'keep',
    }),
  smuggled: (mutant) =>
    void (mutant.wire = {
      body: (m) => Buffer.concat([m.body, Buffer.from(SMUGGLED.repeat(3))]),
      then: 'keep',
    }),
  chunks: (mutant) =>
    void (mutant.wire = {
      head: (m) => headOf(m, 'Transfer-Encoding: chunked\r\n'),
      body: (m) => chunked(m.body),
      then: 'keep',
    }),
  chunksOdd: (mutant, random) => {
    const encoding = random.pick([
      'chunked',
      'gzip, chunked',
      'xchunked',
      'chunked, chunked',
      'identity',
      REPLY_MARKER,
    ]);
    const start = random.pick([
      'zz\r\n',
      '-5\r\n',
      'ffffffffffffffffff\r\n',
      `5;${REPLY_MARKER}=1\r\n`,
      '\r\n',
      '0\r\n\r\n',
      '2\r\nabcdef',
    ]);
    mutant.wire = {
      head: (m) => headOf(m, `Transfer-Encoding: ${encoding}\r\n`),
      body: (m) => Buffer.concat([Buffer.from(start), chunked(m.body)]),
      then: 'end',
    };
  },
  trailer: (mutant) => {
    const tail = Buffer.from(`0\r\nX-Total-Count: 1\r\nSet-Cookie: ${REPLY_MARKER}\r\n\r\n`);
    mutant.wire = {
      head: (m) => headOf(m, 'Transfer-Encoding: chunked\r\nTrailer: X-Total-Count\r\n'),
      body: (m) => Buffer.concat([chunked(m.body).subarray(0, -5), tail]),
      then: 'keep',
    };
  },
  unending: (mutant) =>
    void (mutant.wire = {
      head: (m) => headOf(m, 'Transfer-Encoding: chunked\r\n'),
      body: (m) => chunked(m.body).subarray(0, -5),
      then: 'end',
    }),
  unframed: (mutant) => void (mutant.wire = { head: (m) => headOf(m, 'Connection: close\r\n'), then: 'end' }),
  reset: (mutant, random) => {
    const share = random.below(100) / 100;
    mutant.wire = {
      head: plainHead,
      body: (m) => m.body.subarray(0, Math.floor(m.body.length * share)),
      then: 'reset',
    };
  },
  noReply: (mutant, random) =>
    void (mutant.wire = { head: () => '', body: () => Buffer.alloc(0), then: random.pick(['end', 'reset']) }),
  noise: (mutant, random) => {
    const head = random.pick([
      `\u0016\u0003\u0001 ${REPLY_MARKER}`,
      'HTTP/1.1\r\n\r\n',
      'HTTP/9.9 200 OK\r\n\r\n',
      `HTTP/1.1 2x0 ${REPLY_MARKER}\r\n\r\n`,
      `${REPLY_MARKER}\r\n`,
      'HTTP/1.1 100 Continue\r\n\r\n'.repeat(200),
      'HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n',
      'HTTP/1.1 200 OK\n\n',
      '\r\n\r\n\r\n',
    ]);
    mutant.wire = { head: () => head, then: 'end' };
  },
  hang: (mutant, random) =>
    void (mutant.wire = {
      body: (m) => m.body.subarray(0, random.below(m.body.length + 1)),
      head: (m) => headOf(m, `Content-Length: ${m.body.length + 1}\r\n`),
      then: 'hang',
    }),
};
