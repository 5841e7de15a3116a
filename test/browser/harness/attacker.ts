import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

/** A site of somebody else on this machine: every path is an empty page that allows everything. */
export type Attacker = {
  readonly close: ScriptedUpstream['close'];
  /** Its address under a name that is another site for a browser. */
  readonly otherSite: string;
  /** Its address as another port of the same host: the same site, so that cookies are sent. */
  readonly sameSite: string;
};

/** Starts the site. */
export async function startAttacker(): Promise<Attacker> {
  const headers = { 'Content-Type': 'text/html' };
  const page = { headers, body: Buffer.from('<!doctype html><title>A nice page</title><body>') };
  const upstream = await startUpstream(serving(() => ({ ...page, headers })));
  const { port } = new URL(upstream.origin);
  return {
    close: () => upstream.close(),
    otherSite: `http://localhost:${port}`,
    sameSite: `http://127.0.0.1:${port}`,
  };
}
