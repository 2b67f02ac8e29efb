/** Sessions, browsers, limits of attempts and security events, for the accounts of an application. Imported as `pergola/accounts`. */

export { forgetPolicyContext } from '../policy/policy-context.ts'
export { type RateLimiter, rateLimiter } from '../features/limits/rate-limiter.ts'
export type { Rate } from '../http/settings.ts'
export { knownBrowser, rememberBrowser } from '../features/known-browser/known-browser.ts'
export { network } from '../http/security/network.ts'
export { clearSessionToken, sessionToken, setSessionToken } from '../http/security/session-cookie.ts'
export { type EventKind, recordEvent, recordRejection } from '../features/events/record-event.ts'
