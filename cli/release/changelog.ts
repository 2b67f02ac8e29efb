const UNRELEASED = /^## Unreleased[^\n]*\n([\s\S]*?)(?=^## |$(?![\s\S]))/m

/** Returns the problem of the changelog, or null if it has entries to release. */
export function changelogProblem(text: string): string | null {
  const [, entries] = UNRELEASED.exec(text) ?? []
  if (entries === undefined) return 'CHANGELOG.md has no heading "## Unreleased".'
  return entries.includes('- ') ? null : 'CHANGELOG.md has no entries below "## Unreleased".'
}

/** Returns the changelog with the unreleased entries under the heading of this version, below an empty `## Unreleased`. */
export function releasedChangelog(text: string, version: string, today: Date): string {
  const heading = `## ${version} (${today.toISOString().slice(0, 10)})`
  const released = text.replace(UNRELEASED, (_section, entries: string) => {
    const body = entries.includes('- ') ? entries.replace(/^\n*/, '') : '- No changes.\n\n'
    return `## Unreleased\n\n${heading}\n\n${body}`
  })
  return `${released.trimEnd()}\n`
}
