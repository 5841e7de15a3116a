import type { Socket } from 'node:net';
import { eventually } from '../time/eventually.ts';
import { type ScriptedUpstream, startUpstream, type UpstreamRequest } from '../upstream/scripted-upstream.ts';
import type { Mutant } from './case.ts';
import { plainHead } from './framing.ts';

/** An upstream that says bytes, not HTTP. */
export type HostileUpstream = Pick<ScriptedUpstream, 'origin' | 'close'> & {
  /** Answers the next requests with this. */
  serve(reply: (request: UpstreamRequest) => Mutant): void;
  /** Resolves once nobody waits for the rest of a reply any more. */
  abandoned(): Promise<unknown>;
};

function writeTo(socket: Socket, mutant: Mutant): void {
  const { head = plainHead, body = (m: Mutant) => m.body, then = 'keep' } = mutant.wire;
  // Latin-1, so that a header may hold any byte.
  const bytes = Buffer.concat([Buffer.from(head(mutant), 'latin1'), body(mutant)]);
  if (then === 'end') socket.end(bytes);
  else if (then === 'reset') socket.write(bytes, () => socket.resetAndDestroy());
  else socket.write(bytes);
}

/** Starts it on a free port. Requests are read as HTTP; what it says is written to the socket as it is. */
export async function startHostileUpstream(): Promise<HostileUpstream> {
  const upstream = await startUpstream();
  /** Those on which a reply was begun that will never be complete. */
  const hanging = new Set<Socket>();
  return {
    ...upstream,
    serve: (reply) =>
      upstream.does((request) => {
        if (request.socket.destroyed) return;
        const mutant = reply(request);
        if (mutant.wire.then === 'hang') hanging.add(request.socket);
        writeTo(request.socket, mutant);
      }),
    abandoned: () => eventually(() => [...hanging].every(({ destroyed }) => destroyed)),
  };
}
