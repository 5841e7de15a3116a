import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { Cors } from '../listener/cors.ts';
import { compileReturnRule, memoised } from './header-rules.ts';
import type { ReturnRules } from './headers.ts';

/** One directive of `Cache-Control`; a comma in quotes divides nothing (RFC 9110, section 5.6.4). */
const DIRECTIVE = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** Directives that let a shared cache keep an answer, and `private`, which may be about single fields only. */
const ABOUT_SHARED_CACHES = /^(?:public|private|s-maxage)(?:\s*=|$)/i;
/** A longer text is not read. */
const TEXT_MAX = 1_000;

/**
 * `Cache-Control` for a browser alone: with `private`, and without what lets shared caches keep the answer. A header that
 * cannot be read (a quote is missing, or it is very long) may have said anything, so nothing may be kept.
 */
function privateCacheControl(sent: string | undefined): string {
  if (sent === undefined) return 'private';
  if (sent.length > TEXT_MAX || sent.replace(DIRECTIVE, '').replaceAll(',', '') !== '')
    return 'private, no-store';
  const directives = (sent.match(DIRECTIVE) ?? []).map((directive) => directive.trim());
  const kept = directives.filter((directive) => directive !== '' && !ABOUT_SHARED_CACHES.test(directive));
  return ['private', ...kept].join(', ');
}

const onlyPrivate = memoised(privateCacheControl);
const CREDENTIALS = 'Authorization, X-API-Key';

function cacheControlRule(isProtected: boolean, toSharedCaches: boolean): ReturnRules['cacheControl'] {
  if (!toSharedCaches) return onlyPrivate;
  return isProtected ? (sent) => sent ?? 'private' : (sent) => sent;
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
