import { camelize, singularize } from 'inflection'
import type { StoredColumn } from './stored-columns.ts'
import { typeOfColumn } from './type-of-column.ts'

/** Returns the source code of the table types for these columns. */
export function printTypes(columns: readonly StoredColumn[]): string {
  const tables = [...Map.groupBy(columns, ({ table }) => table)]
  const interfaces = tables.map(([table, own]) => [
    `export interface ${typeName(table)} {`,
    ...own.map(line),
    '}',
  ])
  const names = tables.map(([table]) => `    ${key(table)}: ${typeName(table)}`)
  const declaration = [`declare module 'pergola' {`, '  interface Tables {', ...names, '  }', '}']
  const body = [...interfaces, declaration].map((lines) => lines.join('\n')).join('\n\n')
  return [imports(body), body].filter(Boolean).join('\n\n')
}

function line(column: StoredColumn): string {
  return `  ${key(column.column)}: ${declaration(column)}`
}

function declaration(column: StoredColumn): string {
  const type = typeOfColumn(column) + (column.nullable ? ' | null' : '')
  if (column.is_generated) return `GeneratedAlways<${type}>`
  // The database sets the column once, and it is never updated.
  if (column.column === 'created_at' && column.has_default)
    return `ColumnType<${type}, ${type} | undefined, never>`
  return column.has_default ? `Generated<${type}>` : type
}

function imports(body: string): string {
  const used = ['ColumnType', 'Generated', 'GeneratedAlways'].filter((name) => body.includes(`${name}<`))
  return used.length === 0 ? '' : `import type { ${used.join(', ')} } from 'kysely'`
}

const typeName = (table: string) => `${camelize(singularize(table.replaceAll('.', '_')))}Table`

const key = (name: string) => (/^[A-Za-z_]\w*$/.test(name) ? name : `'${name.replaceAll("'", "\\'")}'`)
