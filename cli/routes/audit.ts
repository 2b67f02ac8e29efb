import { readFileSync, writeFileSync } from 'node:fs'
import {
  compareManifests,
  type Differences,
  type Manifest,
  manifestText,
  parseManifest,
  straySentences,
} from '#framework'
import { summary } from './summary.ts'

export const MANIFEST_FILE = 'security.manifest.json'
const RENEW = `Read it; if it is meant, renew ${MANIFEST_FILE} with \`npx cli routes audit --write\`, and commit it.`

/** What a command says: data on stdout, talk on stderr. */
export interface Outcome {
  code: number
  out?: string
  talk?: string
}

/** The summary, and 1 when something is mounted that is in no route table. */
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
export const problemsOf = ({ dimensions }: Manifest): string[] =>
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
    return sentences(compareManifests(parseManifest(committed), manifest))
  } catch (error) {
    return [committed === '' ? 'There is none.' : (error as Error).message]
  }
}

/** What got wider and what narrower since another manifest; 1 when something got wider, 2 when the other can't be read. */
export function compared(file: string, manifest: Manifest): Outcome {
  let old: Manifest
  try {
    old = parseManifest(readFileSync(file === '-' ? 0 : file, 'utf8'))
  } catch (error) {
    return { code: 2, talk: `${file === '-' ? 'stdin' : file}: ${(error as Error).message}` }
  }
  const differences = compareManifests(old, manifest)
  return { code: differences.wider.length > 0 ? 1 : 0, out: sentences(differences).join('\n') }
}

function sentences({ wider, narrower, other }: Differences): string[] {
  const all = [
    ...wider.map((sentence) => `Wider: ${sentence}`),
    ...narrower.map((sentence) => `Narrower: ${sentence}`),
    ...other.map((sentence) => `Neither: ${sentence}`),
  ]
  return all.length > 0 ? all : ['Nobody may reach more or less than before.']
}
