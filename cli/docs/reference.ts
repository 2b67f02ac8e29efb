import { format, resolveConfig } from 'prettier'
import { root } from '../test/tools.ts'
import { commandsPage } from './commands-page.ts'
import { configurationPage } from './configuration-page.ts'
import { errorsPage } from './errors-page.ts'
import { exportsPages } from './exports-page.ts'

export const FOLDER = 'docs/reference'

/** Returns the pages of the reference as Markdown, by file name. */
export async function referencePages(): Promise<Map<string, string>> {
  const modules = exportsPages()
  const pages = new Map([
    ['README.md', indexPage([...modules.keys()])],
    ['commands.md', commandsPage()],
    ['configuration.md', configurationPage()],
    ['errors.md', errorsPage()],
    ...modules,
  ])
  const options = await resolveConfig(`${root}/${FOLDER}/README.md`)
  const formatted = [...pages].map(async ([name, text]) => {
    const page = `${text}\n\n${name === 'README.md' ? '' : NEXT}\n`
    return [name, await format(page, { ...options, parser: 'markdown' })] as const
  })
  return new Map(await Promise.all(formatted))
}

const NEXT = 'Next: [the index of the reference](README.md).'

const LAB = 'pergola-lab.md'
const linkTo = (file: string): string => `- [${file.replace('.md', '').replace('-', '/')}](${file}): exports`

const indexPage = (modules: readonly string[]): string =>
  [
    '# Reference',
    [
      '- [Commands](commands.md): npm scripts, `npx cli` with all options, exit codes',
      '- [Configuration](configuration.md): settings with defaults and valid values',
      '- [Error codes](errors.md) of the JSON API',
      ...modules.filter((file) => file !== LAB).map(linkTo),
    ].join('\n'),
    '<!-- development -->',
    linkTo(LAB),
    '<!-- /development -->',
    'Next: [all documents](../README.md).',
  ].join('\n\n')
