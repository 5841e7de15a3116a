import type { Agent } from 'node:http';
import type { SourceSpec } from '../../../config/schema/source.ts';
import type { UpstreamOrigin } from '../../../kernel/upstream-call.ts';
import { createAgents } from './agents.ts';
import { serveOneHost } from './one-host-agent.ts';

/** The connections of one upstream. */
export type ConnectionPools = {
  /** The agent of a request; `isFresh`: one that opens a connection for it alone. */
  agentFor(origin: UpstreamOrigin, isFresh: boolean): Agent;
  /** Ends all connections. */
  close(): void;
};

/** At most so many connections stay open to one host while nobody uses them, as with Node's own agent. */
const IDLE_MAX = 256;

/** Creates the connections of an upstream: a pool for each origin object, made when it is first needed. */
export function createConnectionPools(
  net: Pick<SourceSpec['net'], 'tls' | 'connectTimeout'>,
): ConnectionPools {
  const pools = new Map<UpstreamOrigin, Agent>();
  const unpooled = createAgents(net, false);

  function poolOf(origin: UpstreamOrigin): Agent {
    const known = pools.get(origin);
    if (known !== undefined) return known;
    const { httpAgent, httpsAgent } = createAgents(net, true);
    const agent = origin.isTls ? httpsAgent : httpAgent;
    serveOneHost(agent, origin.host, { host: origin.hostname, port: origin.port }, IDLE_MAX);
    pools.set(origin, agent);
    return agent;
  }

  return {
    agentFor(origin, isFresh) {
      if (!isFresh) return poolOf(origin);
      return origin.isTls ? unpooled.httpsAgent : unpooled.httpAgent;
    },
    close() {
      for (const agent of [...pools.values(), unpooled.httpAgent, unpooled.httpsAgent]) agent.destroy();
    },
  };
}
