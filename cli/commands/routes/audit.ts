import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import { straySentences } from 'pergola/app'
import {
  compareManifests,
  type Differences,
  type Manifest,
  manifestText,
  parseManifest,
  type Use,
} from 'pergola/manifest'
import { summary } from './summary.ts'

const MANIFEST_FILE = 'security.manifest.json'
const NOTHING = 'No access became wider or narrower'
const RENEW = `Review the changes, then update ${MANIFEST_FILE} with \`npx cli routes audit --write\` and commit it.`

/** The result of a command: `out` is for stdout, `message` for stderr. */
export interface Outcome {
  code: number
  out?: string
  message?: string
}

/** Returns the summary or the manifest, with exit code 1 if a route is not in a route table. */
export function audited(manifest: Manifest, uses: readonly Use[], json: boolean): Outcome {
  const problems = problemsOf(manifest)
  return {
    code: problems.length > 0 ? 1 : 0,
    out: json ? manifestText(manifest).trimEnd() : `${summary(manifest, uses)}\n\n${verdict(problems)}`,
    ...(json && problems.length > 0 && { message: problems.join('\n') }),
  }
}

const verdict = (problems: readonly string[]): string =>
  problems.length === 0 ? 'No problems.' : `Problems:\n${problems.map((line) => `  ${line}`).join('\n')}`

/** Returns a message for each unclassified route. */
const problemsOf = ({ dimensions }: Manifest): string[] =>
  straySentences(dimensions.routes.entries.filter(({ classification }) => classification === 'unclassified'))

/** Writes the manifest, unless it has problems. */
export function written(manifest: Manifest, file = MANIFEST_FILE): Outcome {
  const problems = problemsOf(manifest)
  if (problems.length > 0) return { code: 1, message: [...problems, 'No files were written.'].join('\n') }
  writeFileSync(file, manifestText(manifest))
  return { code: 0, message: `Wrote ${file}.` }
}

/** Compares the committed manifest with the code. */
export function checked(manifest: Manifest): Outcome {
  const problems = [...problemsOf(manifest), ...outdated(manifest)]
  if (problems.length > 0) return { code: 1, message: problems.join('\n') }
  return { code: 0, message: `${MANIFEST_FILE} is up to date.` }
}

/** Returns the differences of the committed manifest from the code, and how to update it. Empty if it is up to date. */
export function outdated(manifest: Manifest, file = MANIFEST_FILE): string[] {
  const committed = readCommitted(file)
  if (committed === manifestText(manifest)) return []
  return [`${file} is out of date.`, ...differencesTo(committed, manifest), RENEW]
}

function readCommitted(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function differencesTo(committed: string, manifest: Manifest): string[] {
  try {
    const old = parseManifest(committed)
    const differences = messagesOf(compareManifests(old, manifest))
    return differences.length > 0 ? differences : [otherDifference(old, manifest)]
  } catch (error) {
    return [committed === '' ? 'The file does not exist.' : (error as Error).message]
  }
}

/** Describes a difference that does not affect access: the key where the manifests differ, or their format. */
function otherDifference(old: Manifest, now: Manifest): string {
  const place = firstDifference(old, now)
  if (place === null) return 'Only the order of keys or the whitespace differs.'
  return `${NOTHING}; ${place} differs.`
}

/** Returns the path of keys to the first difference; null if there is none. A list counts as one value. */
function firstDifference(old: object, now: object, below = ''): string | null {
  for (const [key, value] of Object.entries(now) as [string, unknown][]) {
    const before: unknown = (old as Record<string, unknown>)[key]
    if (isDeepStrictEqual(before, value)) continue
    return isNode(before) && isNode(value) ? firstDifference(before, value, `${below}${key}.`) : below + key
  }
  return null
}

const isNode = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Compares with another manifest. Exit code 1 if access became wider, 2 if the other manifest can't be read. */
export function compared(file: string, manifest: Manifest): Outcome {
  let old: Manifest
  try {
    old = parseManifest(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    return { code: 2, message: `${file === '-' ? 'stdin' : file}: ${(error as Error).message}` }
  }
  const differences = compareManifests(old, manifest)
  const lines = messagesOf(differences)
  return { code: differences.wider.length > 0 ? 1 : 0, out: lines.join('\n') || `${NOTHING}.` }
}

function messagesOf({ wider, narrower, other }: Differences): string[] {
  return [
    ...wider.map((message) => `Wider: ${message}`),
    ...narrower.map((message) => `Narrower: ${message}`),
    ...other.map((message) => `Other: ${message}`),
  ]
}
