import type { Request } from 'express'
import { isRead } from '../cheap-requests.ts'

const LONGEST = 2_048

/**
 * Returns the path of a `return_to` parameter if it leads to this site, and `/` otherwise. Returns `/` for other hosts
 * and schemes, and for a path with backslashes or control characters, whether encoded or not.
 */
export function localPath(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST) return '/'
  return decodings(value).every(isLocal) ? value : '/'
}

const isLocal = (path: string): boolean =>
  path.startsWith('/') &&
  !path.startsWith('//') &&
  !/[\\\p{Cc}]/u.test(path) &&
  URL.canParse(path, 'http://local')

function decodings(value: string): string[] {
  const texts = [value]
  for (let text = value; texts.length < 4; texts.push(text)) {
    try {
      text = decodeURIComponent(text)
    } catch {
      return texts
    }
  }
  return texts
}

/**
 * Returns the page that a refused request returns to, after a sign-in for example: the requested page, or the page with
 * the form for other methods than GET.
 */
export function returnPath(req: Request): string {
  if (isRead(req)) return localPath(req.originalUrl)
  const referrer = URL.parse(req.get('referer') ?? '')
  if (referrer === null || referrer.host !== req.host) return '/'
  return localPath(referrer.pathname + referrer.search)
}
