import { Exit } from '../../exit.ts'
import type { Existing } from '../existing.ts'
import { namesOf } from '../read/names.ts'
import type { ScaffoldArguments } from '../read/options.ts'
import { wordsOfTable } from './read-table.ts'
import type { StoredTable } from './stored-tables.ts'
import { parentsFirst } from './table-order.ts'

/** A table in the output of `--from-schema`: its command, or sentences that say why it has no command. */
export interface TableLine {
  readonly table: string
  readonly command: string | null
  readonly sentences: readonly string[]
}

/** Returns a line for each table without a resource, in an order in which the commands can run. */
export function schemaLines(tables: readonly StoredTable[], existing: Existing): TableLine[] {
  let known = existing
  const lineOf = (table: StoredTable): TableLine => {
    const { name } = table
    try {
      const none = { name: '', fields: [], options: {} }
      const { args, adaptations, notes } = wordsOfTable(table, none, { tables, existing: known })
      known = withTarget(known, args)
      const command = `npx cli scaffold --from-table ${name}${adaptations.length > 0 ? ' --adapt' : ''}`
      return { table: name, command, sentences: notes }
    } catch (error) {
      if (!(error instanceof Exit)) throw error
      return { table: name, command: null, sentences: error.message.split('\n').slice(0, -1) }
    }
  }
  return parentsFirst(tables.filter(({ name }) => !existing.tables.has(name))).map(lineOf)
}

function withTarget(existing: Existing, { name, options }: ScaffoldArguments): Existing {
  const target = { names: namesOf(name, options), label: 'id', isUser: false, isSelf: false }
  const id = options.id === 'uuid' ? 'uuid' : 'bigint'
  return { ...existing, targets: [...existing.targets, { ...target, id }] }
}

/** Returns the lines as a script: sentences are comments. */
export const linesInWords = (lines: readonly TableLine[]): string =>
  lines.length === 0
    ? 'Every table has a resource.'
    : lines
        .flatMap(({ command, sentences }) => [
          ...sentences.map((one) => one.replaceAll(/^/gm, '# ')),
          ...(command ? [command] : []),
        ])
        .join('\n')
