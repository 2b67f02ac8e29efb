/** The differences between two manifests, as sentences. */
export interface Differences {
  /** Changes that might give access. */
  readonly wider: readonly string[]
  /** Changes that remove access. */
  readonly narrower: readonly string[]
  /** Changes that don't affect access in production, such as another name of a route. */
  readonly other: readonly string[]
}

/** Returns the passed differences. The omitted lists are empty. */
export const none = (but: Partial<Differences> = {}): Differences => ({
  wider: [],
  narrower: [],
  other: [],
  ...but,
})

/** Returns one list of differences from several. */
export const together = (all: readonly Differences[]): Differences => ({
  wider: all.flatMap(({ wider }) => wider),
  narrower: all.flatMap(({ narrower }) => narrower),
  other: all.flatMap(({ other }) => other),
})

/** Returns the items that `now` has and `old` lacks. Repeated items count each time. */
export function added(old: readonly string[], now: readonly string[]): string[] {
  const left = [...old]
  return now.filter((item) => {
    const at = left.indexOf(item)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** Returns the items that `old` has and `now` lacks. */
export const gone = (old: readonly string[], now: readonly string[]): string[] => added(now, old)
