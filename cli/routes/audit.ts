import { readFileSync, writeFileSync } from 'node:fs'
import { isDeepStrictEqual } from 'node:util'
import {
  compareManifests,
  type Differences,
  type Manifest,
  manifestText,
  parseManifest,
  straySentences,
} from 'pergola/manifest'
import { summary } from './summary.ts'

const MANIFEST_FILE = 'security.manifest.json'
const NOTHING = 'Nobody may reach more or less than before'
const RENEW = `Read it; if it is meant, renew ${MANIFEST_FILE} with \`npx cli routes audit --write\`, and commit it.`

/** What a command says: data on stdout, talk on stderr. */
export interface Outcome {
  code: number
  out?: string
  talk?: string
}

/** The summary, and 1 if a mounted route is not in a route table. */
export function audited(manifest: Manifest, json: boolean): Outcome {
  const problems = problemsOf(manifest)
  return {
    code: problems.length > 0 ? 1 : 0,
    out: json ? manifestText(manifest).trimEnd() : `${summary(manifest)}\n\n${verdict(problems)}`,
    ...(json && problems.length > 0 && { talk: problems.join('\n') }),
  }
}

const verdict = (problems: readonly string[]): string =>
  problems.length === 0 ? 'No problems.' : `Problems:\n${problems.map((line) => `  ${line}`).join('\n')}`

/** A sentence for each route that is unclassified. */
const problemsOf = ({ dimensions }: Manifest): string[] =>
  straySentences(dimensions.routes.entries.filter(({ classification }) => classification === 'unclassified'))

/** Writes the manifest down, but not one that has problems. */
export function written(manifest: Manifest, file = MANIFEST_FILE): Outcome {
  const problems = problemsOf(manifest)
  if (problems.length > 0) return { code: 1, talk: [...problems, 'Nothing is written.'].join('\n') }
  writeFileSync(file, manifestText(manifest))
  return { code: 0, talk: `Wrote ${file}.` }
}

/** Whether the committed manifest is that of this code. */
export function checked(manifest: Manifest): Outcome {
  const problems = [...problemsOf(manifest), ...outdated(manifest)]
  if (problems.length > 0) return { code: 1, talk: problems.join('\n') }
  return { code: 0, talk: `${MANIFEST_FILE} is up to date.` }
}

/** What the committed manifest doesn't say yet, in words, and how to renew it; nothing when it is up to date. */
export function outdated(manifest: Manifest, file = MANIFEST_FILE): string[] {
  const committed = readCommitted(file)
  if (committed === manifestText(manifest)) return []
  return [`${file} is not what the code says.`, ...differencesTo(committed, manifest), RENEW]
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
    const told = sentences(compareManifests(old, manifest))
    return told.length > 0 ? told : [untold(old, manifest)]
  } catch (error) {
    return [committed === '' ? 'There is none.' : (error as Error).message]
  }
}

/** Where two manifests differ of which nothing else can be said. */
function untold(old: Manifest, now: Manifest): string {
  const place = firstDifference(old, now)
  if (place === null) return 'Only its form differs: its keys, or its spaces.'
  return `${NOTHING}; ${place} differs.`
}

/** By the keys that lead there; a list is one value. Null when there is none. */
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

/** What got wider and what narrower since another manifest; 1 when something got wider, 2 when the other can't be read. */
export function compared(file: string, manifest: Manifest): Outcome {
  let old: Manifest
  try {
    old = parseManifest(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    return { code: 2, talk: `${file === '-' ? 'stdin' : file}: ${(error as Error).message}` }
  }
  const differences = compareManifests(old, manifest)
  const told = sentences(differences)
  return { code: differences.wider.length > 0 ? 1 : 0, out: told.join('\n') || `${NOTHING}.` }
}

function sentences({ wider, narrower, other }: Differences): string[] {
  return [
    ...wider.map((sentence) => `Wider: ${sentence}`),
    ...narrower.map((sentence) => `Narrower: ${sentence}`),
    ...other.map((sentence) => `Neither: ${sentence}`),
  ]
}
