import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { FieldType } from '../field-types/field-type.ts'
import { lengthHint } from '../field-types/limits.ts'
import { text } from '../field-types/text.ts'
import type { Model } from '../model.ts'
import { Problems, wholeOf } from '../read/command-line-problems.ts'

const { acceptsAnyText: _showsTags, ...plain } = text

/** A text in Markdown, which its page shows as HTML: `body:markdown`. */
export const markdown: FieldType = {
  ...plain,
  name: 'markdown',
  aliases: ['md', 'richtext', 'rich_text'],
  schemaCode: (field) => text.schemaCode?.(field) ?? '',
  hint: (field) =>
    [lengthHint(field), 'Markdown: **bold**, lists with -, [links](https://…).'].filter(Boolean).join(' '),
  detailMarkup: (value) => `<%~ include('/partials/markdown', { body: it.markdown(${value}) }) %>`,
}

/** Throws if the add-on that renders Markdown is missing. */
export function refuseMarkdown(root: string, { fields }: Model): void {
  const field = fields.find(({ type }) => type === markdown)
  if (field === undefined || existsSync(join(root, 'app/markdown/markdown.ts'))) return
  const problems = new Problems()
  problems.add(wholeOf(field.name), 'Pages need the add-on for Markdown. Add it first: npx cli add markdown')
  problems.raise()
}
