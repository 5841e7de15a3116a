import { type ScriptedUpstream, serving, startUpstream } from '../../support/upstream/scripted-upstream.ts';

/** Headers of a connection, or of a coding that this proxy has undone. */
const OF_THE_HOP = ['connection', 'keep-alive', 'transfer-encoding', 'content-encoding', 'content-length'];

/** A proxy that serves a listener below `/gate`. */
export function startBelowAPath(target: string): Promise<ScriptedUpstream> {
  const script = serving(async ({ method, target: asked, headers, body }) => {
    const { connection: _connection, host: _host, 'content-length': _length, ...passed } = headers;
    const answer = await fetch(target + asked.replace(/^\/gate/, ''), {
      method,
      headers: passed as Record<string, string>,
      redirect: 'manual',
      ...(body === '' ? {} : { body }),
    });
    const kept = [...answer.headers].filter(([name]) => !OF_THE_HOP.includes(name));
    return {
      status: answer.status,
      headers: Object.fromEntries(kept),
      body: Buffer.from(await answer.arrayBuffer()),
    };
  });
  return startUpstream(script);
}
