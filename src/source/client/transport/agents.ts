import http from 'node:http';
import https from 'node:https';
import type { Duplex } from 'node:stream';
import type { SourceSpec } from '../../../config/schema/source.ts';

/** The connection pools of one source, for http and https. */
export type Agents = { readonly httpAgent: http.Agent; readonly httpsAgent: https.Agent };

type Callback = (error: Error | null, stream: Duplex) => void;

/** A connect timeout. It leaves no timer or listener on an open connection, so a kept connection costs nothing. */
function limited<T extends Duplex | null | undefined>(socket: T, ms: number, readyEvent: string): T {
  const tooLate = () =>
    socket?.destroy(Object.assign(new Error('no connection within connectTimeout'), { code: 'ETIMEDOUT' }));
  const timer = setTimeout(tooLate, ms).unref();
  const settle = () => clearTimeout(timer);
  socket?.once(readyEvent, settle).once('close', settle);
  return socket;
}

/** Creates agents; without `keepAlive`, every request opens a new connection. */
export function createAgents(
  { tls, connectTimeout }: Pick<SourceSpec['net'], 'tls' | 'connectTimeout'>,
  keepAlive: boolean,
): Agents {
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
  const { ca, cert, key } = tls ?? {};
  const given = { ...(ca && { ca }), ...(cert && { cert }), ...(key && { key: key.reveal() }) };
  return { httpAgent: new PlainAgent({ keepAlive }), httpsAgent: new TlsAgent({ keepAlive, ...given }) };
}
