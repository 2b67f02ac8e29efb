import { textOf, type Tree } from './tree.ts'

const FILES = ['CHANGELOG.md', 'app/framework/CHANGELOG.md']

export interface News {
  /** The changelog entries that only the new version has, with their headings. */
  readonly entries: readonly string[]
  /** The steps that the developer must do by hand. */
  readonly steps: readonly string[]
}

/** Returns the changelog entries that only the new version has. */
export function newsBetween(base: Tree, theirs: Tree): News {
  const previous = new Set(FILES.flatMap((path) => entriesOf(base, path).map(({ text }) => text)))
  const fresh = FILES.flatMap((path) => entriesOf(theirs, path)).filter(({ text }) => !previous.has(text))
  const changes = fresh.filter(({ text }) => stepIn(text) === null)
  const headings = [...new Set(changes.map(({ heading }) => heading))]
  return {
    entries: headings.flatMap((heading) => [
      heading,
      ...changes.filter((entry) => entry.heading === heading).map(({ text }) => text),
    ]),
    steps: fresh.map(({ text }) => stepIn(text)).filter((step) => step !== null),
  }
}

/** Returns `run x.` for the entry `- To do in a clone from before: run x.`; null for other entries. */
const stepIn = (text: string): string | null => /^- To do[^:]*: (.*)$/s.exec(text)?.[1] ?? null

/** Returns the list entries with their continuation lines, and the heading above each, like `## 0.2.0 — 2026-11-22`. */
function entriesOf(tree: Tree, path: string): { heading: string; text: string }[] {
  const blob = tree.get(path)
  const entries: { heading: string; text: string }[] = []
  let heading = 'Unreleased'
  for (const line of (blob === undefined ? '' : (textOf(blob) ?? '')).split(/\r?\n/)) {
    const [, title] = /^## (.*)$/.exec(line) ?? []
    const last = entries.at(-1)
    if (title !== undefined) heading = title
    else if (line.startsWith('- ')) entries.push({ heading, text: line })
    else if (/^\s+\S/.test(line) && last !== undefined) last.text += ` ${line.trim()}`
  }
  return entries
}
