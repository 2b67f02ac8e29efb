import { parse } from 'bowser'

/**
 * Returns a short description of a `User-Agent` header, such as `Firefox on Linux`. Don't rely on it: clients can send
 * any header.
 */
export function browserName(userAgent: string): string {
  const { browser, os, platform } = parse(userAgent || 'unknown')
  const system = platform.model === 'iPhone' || platform.model === 'iPad' ? platform.model : os.name
  return [browser.name || 'Unknown browser', system].filter(Boolean).join(' on ')
}
