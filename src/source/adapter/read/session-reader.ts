import type { ConnectionSpec } from '../../../config/schema/source.ts';
import type { UpstreamReply } from '../../../kernel/upstream-call.ts';
import { compileDecoder } from './decode.ts';
import { compilePath } from '../spec/path.ts';

/** Compiles the reader of a session's token in the reply to a login; other kinds of credential have none. */
export function compileSessionReader({
  auth,
  decode,
}: ConnectionSpec): (reply: UpstreamReply) => string | undefined {
  if (auth.kind !== 'session' || auth.token === undefined) return () => undefined;
  const read = compileDecoder(decode);
  const find = compilePath(auth.token);
  return (reply) => {
    const token = find(read(reply));
    return typeof token === 'string' ? token : undefined;
  };
}
