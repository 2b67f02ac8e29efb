/** What each of the two is told to run; null for the one that is left out. */
export interface Filters {
  readonly vitest: readonly string[] | null
  readonly playwright: readonly string[] | null
}

/** Paths below e2e/ are Playwright's, all others vitest's. Options follow them, to whichever of the two is run. */
export function filtersFrom(given: readonly string[]): Filters {
  const firstOption = given.findIndex((word) => word.startsWith('-'))
  const paths = firstOption < 0 ? given : given.slice(0, firstOption)
  const options = given.slice(paths.length)
  const inBrowser = paths.filter((path) => BELOW_E2E.test(path)).map((path) => path.replaceAll('\\', '/'))
  const others = paths.filter((path) => !BELOW_E2E.test(path))
  return {
    vitest: others.length > 0 || inBrowser.length === 0 ? [...others, ...options] : null,
    playwright: inBrowser.length > 0 || given.length === 0 ? [...inBrowser, ...options] : null,
  }
}

const BELOW_E2E = /^(?:\.[\\/])?e2e(?:[\\/]|$)/
