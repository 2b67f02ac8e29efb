import { createRequire } from 'node:module'
import type * as bowser from 'bowser'

const require = createRequire(import.meta.url)

/**
 * Returns a short description of a `User-Agent` header, such as `Firefox on Linux`. Don't rely on it: clients can send
 * any header.
 */
export function browserName(userAgent: string): string {
  const { browser, os, platform } = loadBrowserNames().parse(userAgent || 'unknown')
  const system = platform.model === 'iPhone' || platform.model === 'iPad' ? platform.model : os.name
  return [browser.name || 'Unknown browser', system].filter(Boolean).join(' on ')
}

/** Loads the parser. Commands don't need it. */
export const loadBrowserNames = () => (parser ??= require('bowser') as typeof bowser)
let parser: typeof bowser | undefined
