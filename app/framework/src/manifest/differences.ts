/** The differences between two manifests, as sentences. */
export interface Differences {
  /** Changes that might give access. */
  readonly wider: readonly string[]
  /** Changes that take access away. */
  readonly narrower: readonly string[]
  /** Neither, such as a changed name or a route of development. */
  readonly other: readonly string[]
}

/** No differences but these. */
export const none = (but: Partial<Differences> = {}): Differences => ({
  wider: [],
  narrower: [],
  other: [],
  ...but,
})

export const together = (all: readonly Differences[]): Differences => ({
  wider: all.flatMap(({ wider }) => wider),
  narrower: all.flatMap(({ narrower }) => narrower),
  other: all.flatMap(({ other }) => other),
})

/** What `now` has more of than `old`; what is there twice counts twice. */
export function added(old: readonly string[], now: readonly string[]): string[] {
  const left = [...old]
  return now.filter((item) => {
    const at = left.indexOf(item)
    if (at >= 0) left.splice(at, 1)
    return at < 0
  })
}

/** What `old` has more of than `now`. */
export const gone = (old: readonly string[], now: readonly string[]): string[] => added(now, old)
