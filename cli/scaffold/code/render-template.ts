import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Eta } from 'eta'
import { format, resolveConfig } from 'prettier'
import type { GeneratedFile } from '../model.ts'

const root = join(import.meta.dirname, '../../..')
const folder = join(import.meta.dirname, '../templates')

// The templates generate views that contain the tags `<%` and `%>`, so they use other tags. Code is not escaped.
const eta = new Eta({ tags: ['{%', '%}'], useWith: true, autoEscape: false, autoTrim: false })

/** A line that contains only a statement. It is removed together with its line end. */
const STATEMENT_LINE = /^[ \t]*(\{%(?![=~])(?:(?!%\}).)*%\})[ \t]*\n/gms

/**
 * Renders `templates/<name>.eta`. Each entry of `data` is a variable there: `{%= … %}` writes a value, `{% … %}` runs a
 * statement.
 */
export function renderTemplate(name: string, data: object): string {
  const template = readFileSync(join(folder, `${name}.eta`), 'utf8').replaceAll(STATEMENT_LINE, '$1')
  return eta.renderString(template, data)
}

/** A file to generate: its path, its template, and the variables of the template. */
export type Templated = readonly [path: string, template: string, data: object]

/** Renders files with variables for all of them, and formats them. Prettier can't format the views. */
export const rendered = (files: readonly Templated[], shared: object = {}): Promise<GeneratedFile[]> =>
  Promise.all(
    files.map(async ([path, template, data]) => {
      const file = { path, text: renderTemplate(template, { ...data, ...shared }) }
      return path.endsWith('.eta') ? file : formatted(file)
    }),
  )

/** Formats a file as `npm run format` does. */
export async function formatted({ path, text }: GeneratedFile): Promise<GeneratedFile> {
  const filepath = join(root, path)
  const options = { ...(await resolveConfig(filepath, { editorconfig: true })), filepath }
  // Formats twice, because Prettier breaks a chain of calls differently if its arguments were already broken.
  return { path, text: await format(await format(text, options), options) }
}
