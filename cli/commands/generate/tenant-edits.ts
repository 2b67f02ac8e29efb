import { readFileSync } from 'node:fs'
import type { Names } from '../../scaffold/read/names.ts'

/** Lines to insert into a file of the application. */
export interface Edit {
  readonly path: string
  /** The lines, and the places after which they belong. */
  readonly insertions: readonly (readonly [after: RegExp, line: string])[]
  /** The lines, for a file that was changed too much. */
  readonly line: string
}

/** Returns the edits that give the application tenants with these names. */
export const tenantEdits = ({ folder, file }: Names, column: string): Edit[] => [
  edit('app/app.ts', [
    [/^import \{ shardOf \} .*\n/m, `import { tenantOf } from './${folder}/${file}.ts'\n`],
    [/^ {4}findSession,\n/m, '    tenantOf,\n'],
  ]),
  edit('app/users/user.ts', [
    [
      /^export interface UserTable \{[^}]*\n(?=\})/m,
      `  ${column}: ColumnType<number, number | undefined, number>\n`,
    ],
    [/^ {2}columns: \[/m, `'${column}', `],
  ]),
  edit('app/test/test-app.ts', [
    [/^ {4}makeUser,\n(?= {4}allUsers)/m, `    tenantOf: ({ ${column} }) => ${column},\n`],
  ]),
]

const edit = (path: string, insertions: Edit['insertions']): Edit => ({
  path,
  insertions,
  line: insertions.map(([, line]) => line).join(''),
})

/** Returns the text of the file with the lines; null if it lacks one of the places. */
export function edited({ path, insertions }: Edit): string | null {
  const before = readFileSync(path, 'utf8').replaceAll('\r\n', '\n')
  return insertions.reduce<string | null>(
    (text, [after, line]) =>
      text === null || !after.test(text) ? null : text.replace(after, (place) => place + line),
    before,
  )
}
