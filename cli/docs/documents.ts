import { globSync, readFileSync } from 'node:fs'
import { join, posix } from 'node:path'
import { root } from '../test/tools.ts'
import { withoutCode } from './markdown.ts'

const PAGES = ['{README,AGENTS}.md', 'llms.txt', 'docs/**/*.md', 'app/framework/README.md']

/** Returns the documents by their path from the root. */
export function documents(): Map<string, string> {
  const paths = globSync(PAGES, { cwd: root }).map((path) => path.replaceAll('\\', '/'))
  return new Map(paths.toSorted().map((path) => [path, readFileSync(join(root, path), 'utf8')]))
}

export interface Link {
  /** The linked file, as a path from the root. */
  readonly path: string
  /** Empty without an anchor. */
  readonly anchor: string
}

/** Returns the links of a page to files of the repository. */
export function linksOf(page: string, markdown: string): Link[] {
  const prose = withoutCode(markdown).replaceAll(/`[^`\n]*`/g, '')
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|\ssrc(?:set)?="([^"]+)"/g)].map(
    ([, target, picture = '']) => target ?? picture,
  )
  return targets
    .filter((target) => !/^[a-z]+:/.test(target))
    .map((target) => {
      const [path = '', anchor = ''] = target.split('#')
      const file = path === '' ? page : posix.join(posix.dirname(page), path)
      return { path: file.replace(/\/$/, ''), anchor }
    })
}

/** Returns the inline code of a page: the texts between backticks. */
export const inlineCodeOf = (markdown: string): string[] =>
  [...withoutCode(markdown).matchAll(/`([^`\n]+)`/g)].map(([, code = '']) =>
    code.replaceAll(String.raw`\|`, '|'),
  )

/** Matches a path of the repository: `app/users/user.ts`, `views/posts`, `e2e/*.spec.ts`. */
const PATH = /^(?:app|views|public|cli|e2e|docs|\.github|\.ci)\/[\w./{},*-]*$/

/** Returns the inline code that looks like a path of the repository, without a trailing slash. */
export const pathsOf = (markdown: string): string[] =>
  inlineCodeOf(markdown)
    .filter((code) => PATH.test(code))
    .map((path) => path.replace(/\/$/, ''))

/** Returns the lines of shell blocks, and inline code, that contain a command of the project. */
export function commandLinesOf(markdown: string): string[] {
  const blocks = [...markdown.matchAll(/^ *```(?:sh|bash|console)\b[^\n]*\n(.*?)^ *```$/gms)]
  const lines = blocks.flatMap(([, block = '']) => block.replaceAll('\\\n', ' ').split('\n'))
  return [...lines, ...inlineCodeOf(markdown)].filter((line) => COMMAND.test(line))
}

const COMMAND = /(?:^|[\s'"(=|])(?:npx cli|npm (?:run|test|start)|node (?:app|cli|e2e)\/)/
