import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { format, resolveConfig } from 'prettier'
import type { GeneratedFile } from '../model.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(import.meta.dirname, '../templates')

// Tags of their own, since what the templates write are views with the usual ones. Nothing is escaped: it is code.
const eta = new Eta({ tags: ['{%', '%}'], useWith: true, autoEscape: false, autoTrim: false })

/** A line with nothing but a statement on it leaves no line behind. */
const STATEMENT_LINE = /^[ \t]*(\{%(?![=~])(?:(?!%\}).)*%\})[ \t]*\n/gms

/**
 * The text that `templates/<name>.eta` gives for this data, each of whose entries is a variable there: `{%= … %}` writes
 * a value, `{% … %}` runs a statement.
 */
export function renderTemplate(name: string, data: object): string {
  const template = readFileSync(join(folder, `${name}.eta`), 'utf8').replaceAll(STATEMENT_LINE, '$1')
  return eta.renderString(template, data)
}

/** A file to be: where it goes, the template that writes it, and what that needs to know. */
type Templated = readonly [path: string, template: string, data: object]

/** The files that these templates write, formatted. */
export const rendered = (files: readonly Templated[]): Promise<GeneratedFile[]> =>
  Promise.all(
    files.map(([path, template, data]) => formatted({ path, text: renderTemplate(template, data) })),
  )

/** The file as the project's formatter would leave it. */
export async function formatted({ path, text }: GeneratedFile): Promise<GeneratedFile> {
  const filepath = join(root, path)
  const options = { ...(await resolveConfig(filepath, { editorconfig: true })), filepath }
  // Twice: how it breaks a chain of calls depends on whether what is within was broken already.
  return { path, text: await format(await format(text, options), options) }
}
