import { globSync, readFileSync } from 'node:fs'

/** The number of sections that a search returns, and the most characters of each. */
const SECTIONS = 5
const LONGEST = 3_000

/** Returns the sections of the documents that contain most of these words, the best first. Headings count more. */
export async function searchDocuments(words: string): Promise<string> {
  const wanted = [...new Set(words.toLowerCase().match(/[\p{L}\p{N}_]{2,}/gu))]
  const found = globSync(['README.md', 'AGENTS.md', 'docs/**/*.md'])
    .flatMap(sectionsOf)
    .map((section) => ({ ...section, score: scoreOf(section, wanted) }))
    .filter(({ score }) => score > 0)
    .toSorted((one, other) => other.score - one.score)
    .slice(0, SECTIONS)
  if (found.length === 0) return 'No section contains these words.'
  return found.map(({ file, text }) => `${file}\n\n${text.slice(0, LONGEST)}`).join('\n\n---\n\n')
}

interface Section {
  readonly file: string
  readonly heading: string
  readonly text: string
}

const sectionsOf = (file: string): Section[] =>
  readFileSync(file, 'utf8')
    .split(/^(?=#{1,3} )/m)
    .map((text) => ({ file, heading: text.split('\n', 1)[0] ?? '', text }))

/** Counts each word once, since long sections would win otherwise. */
function scoreOf({ heading, text }: Section, wanted: readonly string[]): number {
  const [inHeading, inText] = [heading.toLowerCase(), text.toLowerCase()]
  return wanted.reduce((sum, word) => sum + (inHeading.includes(word) ? 3 : inText.includes(word) ? 1 : 0), 0)
}
