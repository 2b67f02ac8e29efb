/** Returns whether the text is a release: `1.2.0`, `v1.2.0` or `1.2.0-rc.1`. */
export const isRelease = (text: string): boolean => /^v?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(text)

/** Compares versions. Returns a negative number if the first one is older. A pre-release is older than its release. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)]
  for (const at of [0, 1, 2]) {
    const difference = Number(first.numbers[at]) - Number(second.numbers[at])
    if (difference !== 0) return difference
  }
  if (first.pre === second.pre) return 0
  if (first.pre === '') return 1
  if (second.pre === '') return -1
  return first.pre.localeCompare(second.pre, 'en', { numeric: true })
}

/** Returns the newest version. Returns a pre-release only if all versions are pre-releases. */
export function newestRelease(versions: readonly string[]): string | null {
  const sorted = versions.toSorted(compareVersions)
  return sorted.findLast((version) => !version.includes('-')) ?? sorted.at(-1) ?? null
}

function partsOf(version: string) {
  const [, numbers = '0.0.0', pre = ''] = /^v?([\d.]+)-?(.*)$/.exec(version) ?? []
  return { numbers: numbers.split('.'), pre }
}
