/** Error texts of Node, undici and ioredis about files and connections, and what each means in plain words. */
const WORDS: readonly (readonly [said: RegExp, words: string])[] = [
  [/\bENOENT\b/, 'there is no such file'],
  [/\bE(?:ACCES|PERM)\b/, 'this user may not read or write it'],
  [/\bEROFS\b/, 'its file system takes no writes'],
  [/\bEISDIR\b/, 'it is a folder'],
  [/\bEEXIST\b/, 'it is there already'],
  [/\bECONNREFUSED\b/, 'the connection is refused (ECONNREFUSED)'],
  [/\b(?:ENOTFOUND|EAI_AGAIN)\b/, 'the name of the host is not known (ENOTFOUND)'],
  [/\bE(?:HOSTUNREACH|NETUNREACH)\b/, 'there is no way to that host (EHOSTUNREACH)'],
  [/\bETIMEDOUT\b|\btimed? ?out\b|UND_ERR_\w+_TIMEOUT/i, 'no answer within the time'],
  [
    /\b(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)\b|socket hang up|other side closed|Connection is closed|isn't writeable/,
    'the connection is lost',
  ],
  [
    /max retries per request|sentinels are unreachable|slots cache|CLUSTER_ALL_FAILED/,
    'no server of it answers',
  ],
  [/certificate|self-signed|SSL|TLS/, 'its certificate is not accepted'],
  [/unexpected redirect/, 'it sends elsewhere (a redirect), which is not followed'],
  [/bad port/, 'no HTTP client may ask that port'],
  [/Invalid URL|parse URL|unknown scheme/, 'that is no address: write http://127.0.0.1:9090'],
  [/HTTP\/\d|HPE_\w+|Parse Error/, 'what answers there speaks no HTTP'],
];

/**
 * Why something failed, in plain words for operators. Raw texts of Node and ioredis are replaced, because they may name addresses
 * and arguments. A message that is none of these, such as a refusal of Redis, stays as it is.
 */
export function plainCause(error: unknown): string {
  const { message, code, cause } = Object(error) as Partial<
    Record<'message' | 'code', string> & { cause: unknown }
  >;
  if (message === 'fetch failed' && cause !== undefined) return plainCause(cause);
  const said = `${code ?? ''} ${message ?? ''}`;
  return (
    WORDS.find(([pattern]) => pattern.test(said))?.[1] ??
    (message === undefined || message === '' ? 'it failed' : message)
  );
}
