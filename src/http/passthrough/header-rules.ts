// Decides by name which headers pass from a caller to an upstream, and back.

/** Hop-by-hop headers (RFC 9110, section 7.6.1), which belong to one connection and not to the message. */
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

/** Request headers that are never forwarded, whatever the configuration says. */
const NEVER_FORWARDED = new Set([
  ...HOP_BY_HOP,
  // Credentials are meant for the gateway only.
  'authorization',
  'x-api-key',
  'cookie',
  'cookie2',
  // The gateway sends these itself.
  'host',
  'content-length',
  'x-request-id',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'traceparent',
  'tracestate',
  'expect',
  // By default, this header chooses the source of a resource that moves. Only the gateway reads it.
  'x-portico-origin',
]);

/** Headers that an upstream may trust because proxies set them. A caller's are forwarded only if `callerHeaders` names them. */
const PROXY_HEADERS = new Set([
  // The address of the caller.
  'forwarded',
  'client-ip',
  // They could name another host, path or method than the one that was checked.
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

/** Families of such headers: the beginnings of their names, with or without `x-`. */
const PROXY_HEADER_FAMILIES = new RegExp(
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

/** Response headers that are never returned to the caller. */
const NOT_RETURNED = new Set([
  ...HOP_BY_HOP,
  // Sessions and challenges are only for the gateway. A cookie would be sent to everything on the gateway's origin.
  'set-cookie',
  'set-cookie2',
  'www-authenticate',
  'authentication-info',
  'sec-session-registration',
  'secure-session-registration',
  // They reveal the upstream's software.
  'server',
  'x-powered-by',
  'x-aspnet-version',
  'x-aspnetmvc-version',
  'x-runtime',
  // They apply to the whole origin, which is the gateway's: transport, reports, hints, workers, stored data.
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
  // The gateway sends these itself.
  'x-request-id',
  'x-content-type-options',
  'ratelimit',
  'ratelimit-policy',
  'vary',
  // The gateway rewrites these.
  'location',
  'content-location',
]);

/** Families of such headers: CORS and proxy headers, which the gateway sets, and commands to a proxy in front of it. */
const NOT_RETURNED_FAMILIES = /^(?:access-control|proxy|x-accel-|x-sendfile|x-lighttpd-send-|x-reproxy-)/;

/** The most results that a rule remembers. Only an attacker sends more different texts. */
const MEMO_MAX = 1_000;

/** Makes a rule that remembers its results, because rules are applied to every header line. */
export function memoised<From, To>(rule: (from: From) => To, max = MEMO_MAX): (from: From) => To {
  const known = new Map<From, To>();
  return (from) => {
    const found = known.get(from);
    if (found !== undefined || known.has(from)) return found as To;
    const made = rule(from);
    if (known.size < max) known.set(from, made);
    return made;
  };
}

/** Makes a rule from a predicate on lower-case names. The rule returns the lower-case name, or `undefined` to drop it. */
function compileRule(passes: (name: string) => boolean): (line: string) => string | undefined {
  return memoised((line) => {
    const name = line.toLowerCase();
    return passes(name) ? name : undefined;
  });
}

/**
 * Compiles the rule for request headers. It returns the lower-case name of a header, or `undefined` if it is dropped.
 * `allowed` headers pass although they look like headers of a proxy. `gatewayHeaders` never pass. Names with an underscore
 * are dropped, because CGI-like upstreams cannot distinguish `X_Forwarded_For` from `X-Forwarded-For`.
 */
export function compileForwardRule(
  allowed: readonly string[],
  gatewayHeaders: readonly string[],
): (line: string) => string | undefined {
  const owned = new Set(gatewayHeaders.map((name) => name.toLowerCase()));
  const exceptions = new Set(allowed.map((name) => name.toLowerCase()));
  return compileRule((name) => {
    if (NEVER_FORWARDED.has(name) || owned.has(name) || name.startsWith('proxy') || name.includes('_'))
      return false;
    return exceptions.has(name) || !(PROXY_HEADERS.has(name) || PROXY_HEADER_FAMILIES.test(name));
  });
}

/**
 * Headers that CDNs and other shared caches obey instead of `Cache-Control`: `CDN-Cache-Control` (RFC 9213) and its vendors'
 * forms, `Surrogate-Control` (Varnish, Fastly), `Edge-Control` (Akamai).
 */
const SHARED_CACHE = /(?:.-cache|surrogate|edge)-control$|^x-(?:cache-|cdn-|edge-)?ttl$/;

/** Compiles the rule for response headers. It returns the lower-case name, or `undefined` if the header is dropped. */
export function compileReturnRule({ toSharedCaches }: { readonly toSharedCaches: boolean }) {
  return compileRule((name) => {
    // `response-header-policy.ts` rewrites `Cache-Control`.
    if (NOT_RETURNED.has(name) || name === 'cache-control') return false;
    return !NOT_RETURNED_FAMILIES.test(name) && (toSharedCaches || !SHARED_CACHE.test(name));
  });
}
