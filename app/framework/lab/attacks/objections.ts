import { leaksIn } from '../load/leaks-in.ts'
import type { Answer } from '../../testing/test-client.ts'

/** The headers of every response in production, with a part of their values. */
const SECURITY_HEADERS: Readonly<Record<string, string>> = {
  'content-security-policy': "default-src 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'strict-origin',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=()',
  'strict-transport-security': 'max-age=31536000',
  'cache-control': 'no-store',
}

/**
 * Returns what is wrong with the response to any request, as sentences: a status of 500 or above, a stack, a path, SQL
 * or one of `secrets` in its headers or its body, and missing security headers. An empty list if nothing is wrong.
 */
export function objections({ status, headers, text }: Answer, secrets: readonly string[] = []): string[] {
  const missing = Object.entries(SECURITY_HEADERS).filter(
    ([name, part]) => !(headers.get(name) ?? '').includes(part),
  )
  return [
    ...(status >= 500 ? [`status ${status}`] : []),
    ...leaksIn(`${JSON.stringify([...headers])}\n${text}`, secrets),
    ...missing.map(([name]) => `${name} is ${headers.get(name) ?? 'missing'}`),
    ...(headers.has('x-powered-by') ? ['x-powered-by is set'] : []),
  ]
}
