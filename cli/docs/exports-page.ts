import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../test/tools.ts'
import { declarationsOf } from './declarations.ts'
import { codeBlock, slugsOf } from './markdown.ts'
import { entryText, type Group, groupsOf, namesOf } from './public-names.ts'

const folder = join(root, 'app/framework')

interface Package {
  readonly name: string
  readonly exports: Record<string, string>
}

/** Returns the pages about the exports of the framework, one for each entry of its package. */
export function exportsPages(): Map<string, string> {
  const { name, exports } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Package
  const entries = Object.entries(exports).map(([entry, path]) => ({
    specifier: name + entry.slice(1),
    path,
    text: readFileSync(join(folder, path), 'utf8'),
  }))
  const source = {
    declarations: declarationsOf(
      folder,
      entries.map(({ path }) => path),
    ),
    publicNames: new Set(entries.flatMap(({ text }) => namesOf(text))),
  }
  return new Map(
    entries.map(({ specifier, path, text }) => {
      const page = { specifier, text: entryText(text), groups: groupsOf(path, text, source) }
      return [`${specifier.replaceAll('/', '-')}.md`, exportsPage(page)]
    }),
  )
}

interface ExportsPage {
  readonly specifier: string
  readonly text: string
  readonly groups: readonly Group[]
}

function exportsPage({ specifier, text, groups }: ExportsPage): string {
  const headings = groups.flatMap(({ title, names }) => [title, ...names.map(({ name }) => name)])
  const slugs = slugsOf([specifier, ...headings]).slice(1)
  const links = headings.map((heading, index) => `[\`${heading}\`](#${slugs[index]})`)
  return [`# ${specifier}`, text, contentsOf(groups, links), ...groups.flatMap(sectionOf)].join('\n\n')
}

/** Returns a list of the groups with links to their names. `links` has one for each heading. */
function contentsOf(groups: readonly Group[], links: readonly string[]): string {
  let position = 0
  const items = groups.map(({ title, names }) => {
    const own = links.slice(position + 1, position + 1 + names.length)
    position += 1 + names.length
    return `- ${title}: ${own.join(', ')}`
  })
  return items.join('\n')
}

const sectionOf = ({ title, names }: Group): string[] => [
  `## ${title}`,
  ...names.flatMap(({ name, text, code }) => [`### ${name}`, text, codeBlock('ts', code)]),
]
