import type { Agent } from 'node:http';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { UpstreamHost } from '../../../kernel/upstream-call.ts';
import { createAgent } from './agents.ts';
import { serveOneHost } from './one-host-agent.ts';

/** At most so many unused connections to one host stay open, as with Node's own agent. */
const IDLE_MAX = 256;

/** Creates the connection pools of an upstream: one for each origin object, created when it is first needed. */
export function createConnectionPools(net: Pick<SourceSpec['net'], 'tls' | 'connectTimeout'>) {
  const pools = new Map<UpstreamHost, Agent>();
  const unpooled = { http: createAgent(net, false, false), https: createAgent(net, true, false) };

  function poolOf(origin: UpstreamHost): Agent {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const agent = createAgent(net, origin.isTls, true);
    serveOneHost(agent, origin.host, { host: origin.hostname, port: origin.port }, IDLE_MAX);
    pools.set(origin, agent);
    return agent;
  }

  return {
    /** The agent of a request; `isFresh`: an agent that opens a connection for this request alone. */
    agentFor(origin: UpstreamHost, isFresh: boolean): Agent {
      if (!isFresh) return poolOf(origin);
      return origin.isTls ? unpooled.https : unpooled.http;
    },
    /** Ends all connections. */
    close(): void {
      for (const agent of [...pools.values(), ...Object.values(unpooled)]) agent.destroy();
    },
  };
}
