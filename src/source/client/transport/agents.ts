// Opens the connections to an upstream, with its certificates and its connect timeout, for the pools of one-host-agent.ts.

import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { SourceSpec } from '../../../config/schema/source.ts';

type Callback = (error: Error | null, stream: Duplex) => void;

/** Adds a connect timeout to a socket. No timer or listener stays on an open connection, so a kept connection costs nothing. */
function limited<T extends Duplex | null | undefined>(socket: T, ms: number, readyEvent: string): T {
  const tooLate = () =>
    socket?.destroy(Object.assign(new Error('no connection within connectTimeout'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(tooLate, ms).unref();
  const settle = () => clearTimeout(timer);
  socket?.once(readyEvent, settle).once('close', settle);
  return socket;
}

/** Creates an agent for http or https; without `keepAlive`, every request opens a new connection. */
export function createAgent(
  { tls, connectTimeout }: Pick<SourceSpec['net'], 'tls' | 'connectTimeout'>,
  isTls: boolean,
  keepAlive: boolean,
): http.Agent {
  class PlainAgent extends http.Agent {
    override createConnection(options: http.ClientRequestArgs, callback?: Callback) {
      return limited(super.createConnection(options, callback), connectTimeout, 'connect');
    }
  }
  class TlsAgent extends https.Agent {
    override createConnection(options: https.RequestOptions, callback?: Callback) {
      return limited(super.createConnection(options, callback), connectTimeout, 'secureConnect');
    }
  }
  if (!isTls) return new PlainAgent({ keepAlive });
  const { ca, cert, key } = tls ?? {};
  return new TlsAgent({
    keepAlive,
    ...(ca && { ca }),
    ...(cert && { cert }),
    ...(key && { key: key.reveal() }),
  });
}
