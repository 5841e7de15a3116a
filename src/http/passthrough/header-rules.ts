/** RFC 9110, section 7.6.1: what belongs to one connection and not to the message. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
];

/** What a caller may not tell the upstream, whatever the configuration says. */
const NEVER_FORWARDED = new Set([
  ...HOP_BY_HOP,
  // Credentials are for the gateway only.
  'authorization',
  'x-api-key',
  'cookie',
  'cookie2',
  // Said by the gateway itself.
  'host',
  'content-length',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'expect',
]);

/** What an upstream may take for the word of a proxy that it trusts: passes only where a route names it. */
const CLAIMS = new Set([
  // Where the caller is.
  'forwarded',
  'client-ip',
  // Another host, path or method than the one that was admitted.
  'x-host',
  'x-override-url',
  'x-rewrite-url',
  'x-http-destinationurl',
  'x-http-method',
  'x-http-method-override',
  'x-method-override',
  // Who the caller is.
  'eppn',
  'from',
  'x-access-token',
  'x-id-token',
  'x-on-behalf-of',
  'x-userinfo',
  'x-anonymous-consumer',
]);

/** Families of those, each as it goes on behind an `x-` or without one. */
const CLAIM_FAMILIES = new RegExp(
  [
    // x-forwarded-user, x-original-url, x-originating-ip, x-real-ip, true-client-ip
    'forwarded',
    'original-',
    'originating-',
    '(?:real|client|true-client|cluster-client|fastly-client)-(?:ip|addr|host|port)',
    // remote-user, x-remote-group, x-user-id, x-tenant, x-scope-orgid; not user-agent
    '(?:remote|user(?!-agent$)|username|email|groups?|roles?|scopes?|claims?|permissions)(?:-|$)',
    '(?:tenant|org|principal|identity)(?:-|$)',
    // x-auth-request-email (oauth2-proxy), x-webauth-user (Grafana), impersonate-user (Kubernetes), x-consumer-id (Kong)
    'auth-(?:request|user|email|group|role|name|subject|principal|id$)',
    '(?:authenticated|webauth|authentik|authelia|impersonate|credential|consumer)-',
    // client-cert (RFC 9440), x-ssl-client-s-dn, x-client-verify
    'client-(?:cert|s-dn|i-dn|dn|cn|san|subject|issuer|serial|verif|fingerprint|principal|user)',
    '(?:ssl|tls|mtls|cert|verified|spiffe)-',
    '(?:shib|saml|oidc|sso|sm|iv|oam|vouch|pomerium|tailscale|envoy|arr)-',
    // cf-connecting-ip, cf-access-jwt-assertion and the like of other clouds
    'cf-',
    '(?:azure|appengine)-',
    '(?:goog-(?:authenticated|iap)|ms-(?:client-principal|token)|amzn-(?:oidc|mtls))-?',
  ]
    .map((family) => `^(?:x-)?${family}`)
    .join('|'),
);

/** What an upstream may not tell the caller. */
const NOT_RETURNED = new Set([
  ...HOP_BY_HOP,
  // A session or a challenge between the upstream and the gateway; a cookie would go to all that this origin serves.
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
  'authentication-info',
  'sec-session-registration',
  'secure-session-registration',
  // What the upstream is made of.
  'server',
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-runtime',
  // What binds all of an origin, which is the gateway's: transport, reports, hints, keys, workers, stored data.
  'alt-svc',
  'strict-transport-security',
  'public-key-pins',
  'public-key-pins-report-only',
  'expect-ct',
  'nel',
  'report-to',
  'reporting-endpoints',
  'accept-ch',
  'accept-ch-lifetime',
  'critical-ch',
  'delegate-ch',
  'clear-site-data',
  'origin-agent-cluster',
  'service-worker-allowed',
  'set-login',
  'use-as-dictionary',
  'refresh',
  // Said by the gateway itself.
  'x-request-id',
  'x-content-type-options',
  'ratelimit',
  'ratelimit-policy',
  'vary',
  // Rewritten.
  'location',
  'content-location',
]);

/** Families of those: cross-origin rules and proxies are ours; the rest would instruct a proxy in front of us. */
const NOT_RETURNED_FAMILIES = /^(?:access-control|proxy|x-accel-|x-sendfile|x-lighttpd-send-|x-reproxy-)/;

/** So many spellings of names are remembered; nobody but an attacker uses more. */
const REMEMBERED_MAX = 1_000;

/** Whether a name, in lower case, passes. Asked for each line of each message, so what it found is remembered. */
function remembered(passes: (name: string) => boolean): (line: string) => string | undefined {
  const known = new Map<string, string | undefined>();
  return (line) => {
    const found = known.get(line);
    if (found !== undefined || known.has(line)) return found;
    const name = line.toLowerCase();
    const told = passes(name) ? name : undefined;
    if (known.size < REMEMBERED_MAX) known.set(line, told);
    return told;
  };
}

/**
 * Makes the function that tells the lower-case name under which a caller's header line travels on; `undefined` where it
 * stays behind. `allowed` pass although they look like claims. Names with an underscore stay behind: CGI-like upstreams
 * cannot tell `X_Forwarded_For` from `X-Forwarded-For`.
 */
export function compileForwardRule(allowed: readonly string[]): (line: string) => string | undefined {
  const claims = new Set(allowed.map((name) => name.toLowerCase()));
  return remembered((name) => {
    if (NEVER_FORWARDED.has(name) || name.startsWith('proxy') || name.includes('_')) return false;
    return claims.has(name) || !(CLAIMS.has(name) || CLAIM_FAMILIES.test(name));
  });
}

/** The lower-case name of a header line of an upstream that travels on to the caller; `undefined` where it does not. */
export const returnedHeaderName: (line: string) => string | undefined = remembered(
  (name) => !NOT_RETURNED.has(name) && !NOT_RETURNED_FAMILIES.test(name),
);
