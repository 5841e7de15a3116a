// Decides how long caches may keep passed-through responses, because a shared cache must not bypass a permission.

import type { PassthroughConfig } from '../../config/schema/passthrough.ts';
import type { Cors } from '../listener/cors.ts';
import { compileReturnRule, memoised } from './header-rules.ts';
import type { ReturnRules } from './headers.ts';

/** One directive of `Cache-Control`. A comma in quotes is no separator (RFC 9110, section 5.6.4). */
const DIRECTIVE = /(?:[^",]|"(?:[^"\\]|\\.)*")+/g;
/** Directives that let a shared cache keep an answer; and `private`, because it may apply to single fields only. */
const ABOUT_SHARED_CACHES = /^(?:public|private|s-maxage)(?:\s*=|$)/i;
/** The longest text that is parsed. */
const TEXT_MAX = 1_000;

/**
 * Rewrites `Cache-Control` so that only a browser may keep the answer: adds `private`, and removes the directives for shared
 * caches. If the header cannot be parsed (a quote is missing, or it is very long), nothing may be kept.
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

/** Whether shared caches, such as a CDN, may keep the answers of a route for as long as the upstream says. */
export function isForSharedCaches({
  permission,
  sharedCaching,
}: Pick<PassthroughConfig, 'permission' | 'sharedCaching'>): boolean {
  return permission === null || sharedCaching;
}

/**
 * Compiles the rules of a route for the headers of responses. If the route needs a permission, shared caches may not keep its
 * answers, because they would give them to callers without the permission (RFC 9111, section 3.5).
 */
export function compileReturnRules(config: PassthroughConfig, cors: Pick<Cors, 'vary'>): ReturnRules {
  const toSharedCaches = isForSharedCaches(config);
  return {
    nameOf: compileReturnRule({ toSharedCaches }),
    cacheControl: cacheControlRule(config.permission !== null, toSharedCaches),
    // The answer also depends on the caller's credential.
    vary: CREDENTIALS + cors.vary,
  };
}
