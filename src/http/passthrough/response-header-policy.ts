import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { Cors } from '../listener/cors.ts';
import { compileReturnRule } from './header-rules.ts';
import type { ReturnRules } from './headers.ts';

/** One directive of `Cache-Control`; a comma in quotes divides nothing (RFC 9110, section 5.6.4). */
const DIRECTIVE = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** Directives that let a shared cache keep an answer, and `private`, which may name fields alone. */
const ABOUT_SHARED_CACHES = /^(?:public|private|s-maxage)(?:\s*=|$)/i;
/** A longer text is not read. */
const TEXT_MAX = 1_000;
/** How many texts are memoised; upstreams send a few. */
const MEMO_MAX = 1_000;

/**
 * `Cache-Control` for a browser alone: with `private`, and without what lets shared caches keep the answer. A header that
 * cannot be read (a quote is missing, or it is very long) may have said anything, so nothing may be kept.
 */
function privateCacheControl(told: string | undefined): string {
  if (told === undefined) return 'private';
  if (told.length > TEXT_MAX || told.replace(DIRECTIVE, '').replaceAll(',', '') !== '')
    return 'private, no-store';
  const directives = (told.match(DIRECTIVE) ?? []).map((directive) => directive.trim());
  const kept = directives.filter((directive) => directive !== '' && !ABOUT_SHARED_CACHES.test(directive));
  return ['private', ...kept].join(', ');
}

function memoised(rule: (told: string | undefined) => string): (told: string | undefined) => string {
  const known = new Map<string | undefined, string>();
  return (told) => {
    const found = known.get(told);
    if (found !== undefined) return found;
    const made = rule(told);
    if (known.size < MEMO_MAX) known.set(told, made);
    return made;
  };
}

const onlyPrivate = memoised(privateCacheControl);
const CREDENTIALS = 'Authorization, X-API-Key';

function cacheControlRule(isProtected: boolean, toSharedCaches: boolean): ReturnRules['cacheControl'] {
  if (!toSharedCaches) return onlyPrivate;
  return isProtected ? (told) => told ?? 'private' : (told) => told;
}

/** Whether caches that callers share may keep the answers of a route for as long as the upstream says. */
export function isForSharedCaches({
  permission,
  sharedCaching,
}: Pick<PassthroughConfig, 'permission' | 'sharedCaching'>): boolean {
  return permission === null || sharedCaching;
}

/**
 * Compiles how a route returns headers. What a permission protects is for its caller: a shared cache that kept it would
 * hand it to callers without the permission, who never reach the gateway (RFC 9111, section 3.5).
 */
export function compileReturnRules(config: PassthroughConfig, cors: Pick<Cors, 'vary'>): ReturnRules {
  const toSharedCaches = isForSharedCaches(config);
  return {
    nameOf: compileReturnRule({ toSharedCaches }),
    cacheControl: cacheControlRule(config.permission !== null, toSharedCaches),
    // The answer also varies on the credential that the gateway was asked with.
    vary: CREDENTIALS + cors.vary,
  };
}
