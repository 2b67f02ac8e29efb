/** The first that fits: what comes later is what others also claim to be. */
const BROWSERS: readonly [pattern: RegExp, name: string][] = [
  [/\bEdg(?:e|A|iOS)?\//, 'Edge'],
  [/\b(?:OPR|Opera)\//, 'Opera'],
  [/\bSamsungBrowser\//, 'Samsung Internet'],
  [/\b(?:Firefox|FxiOS)\//, 'Firefox'],
  [/\b(?:Headless)?(?:Chrome|Chromium|CriOS)\//, 'Chrome'],
  [/\bSafari\//, 'Safari'],
]
const SYSTEMS: readonly [pattern: RegExp, name: string][] = [
  [/\biPhone\b/, 'iPhone'],
  [/\biPad\b/, 'iPad'],
  [/\bAndroid\b/, 'Android'],
  [/\bWindows\b/, 'Windows'],
  [/\bCrOS\b/, 'ChromeOS'],
  [/\bMac OS X\b/, 'macOS'],
  [/\bLinux\b/, 'Linux'],
]

/** A few words for a User-Agent: `Firefox on Linux`. A guess: it is what the browser says, and browsers say much. */
export function browserName(userAgent: string): string {
  const browser = firstFit(BROWSERS, userAgent) ?? 'Unknown browser'
  const system = firstFit(SYSTEMS, userAgent)
  return system === undefined ? browser : `${browser} on ${system}`
}

const firstFit = (names: typeof BROWSERS, text: string) => names.find(([pattern]) => pattern.test(text))?.[1]
