import { type Sides, textIn, type Tree } from './tree.ts'

const FILES = ['CHANGELOG.md', 'app/framework/CHANGELOG.md']

interface Entry {
  /** The heading above the entry, like `0.2.0 — 2026-11-22`. */
  readonly heading: string
  text: string
}

/** The changelog entries that only the new version has, with their headings, and the steps to do by hand. */
export interface News {
  readonly entries: readonly string[]
  readonly steps: readonly string[]
}

export function newsBetween(store: string, { base, theirs }: Pick<Sides, 'base' | 'theirs'>): News {
  const all = (tree: Tree) => FILES.flatMap((path) => entriesIn(textIn(store, tree, path)))
  const previous = new Set(all(base).map(({ text }) => text))
  const fresh = all(theirs).filter(({ text }) => !previous.has(text))
  const changes = fresh.filter(({ text }) => stepIn(text) === null)
  const byHeading = Map.groupBy(changes, ({ heading }) => heading)
  return {
    entries: [...byHeading].flatMap(([heading, entries]) => [heading, ...entries.map(({ text }) => text)]),
    steps: fresh.flatMap(({ text }) => stepIn(text) ?? []),
  }
}

/** Returns `run x.` for the entry `- To do in a clone from before: run x.`; null for other entries. */
const stepIn = (text: string): string | null => /^- To do[^:]*: (.*)$/s.exec(text)?.[1] ?? null

/** Returns the list entries with their continuation lines. */
function entriesIn(changelog: string): Entry[] {
  const entries: Entry[] = []
  let heading = 'Unreleased'
  for (const line of changelog.split(/\r?\n/)) {
    const [, title] = /^## (.*)$/.exec(line) ?? []
    const last = entries.at(-1)
    if (title !== undefined) heading = title
    else if (line.startsWith('- ')) entries.push({ heading, text: line })
    else if (/^\s+\S/.test(line) && last !== undefined) last.text += ` ${line.trim()}`
  }
  return entries
}
