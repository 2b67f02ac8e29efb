/** Returns whether the text is a release: `1.2.0`, `v1.2.0` or `1.2.0-rc.1`. */
export const isRelease = (text: string): boolean => /^v?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(text)

/** Compares versions. Returns a negative number if the first one is older. A pre-release is older than its release. */
export function compareVersions(one: string, other: string): number {
  const [first, second] = [partsOf(one), partsOf(other)]
  return (
    byNumbers(first.numbers, second.numbers) ||
    Number(first.pre === '') - Number(second.pre === '') ||
    byNumbers(first.pre, second.pre)
  )
}

const byNumbers = (one: string, other: string): number => one.localeCompare(other, 'en', { numeric: true })

/** Returns the newest version. Returns a pre-release only if all versions are pre-releases. */
export function newestRelease(versions: readonly string[]): string | null {
  const sorted = versions.toSorted(compareVersions)
  return sorted.findLast((version) => !version.includes('-')) ?? sorted.at(-1) ?? null
}

function partsOf(version: string) {
  const [, numbers = '0.0.0', pre = ''] = /^v?([\d.]+)-?(.*)$/.exec(version) ?? []
  return { numbers, pre }
}
