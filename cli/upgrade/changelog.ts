import { textOf, type Tree } from './tree.ts'

const FILES = ['CHANGELOG.md', 'app/framework/CHANGELOG.md']

export interface News {
  /** The entries that the new version has and the old one had not, below their headings. */
  readonly entries: readonly string[]
  /** What the owner has to do. */
  readonly steps: readonly string[]
}

/** What the changelogs of the new version say that those of the old one did not. */
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

/** `- To do in a clone from before: run x.` asks the owner to run x. */
const stepIn = (text: string): string | null => /^- To do[^:]*: (.*)$/s.exec(text)?.[1] ?? null

/** `## 0.2.0 — 2026-11-22` and the list entries below it, each with its continuation lines. */
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
