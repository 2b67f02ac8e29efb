import { type Checker, SymbolFlags, type Symbol as Member, type Type } from 'typescript/unstable/sync'
import type { StoredColumn } from './stored-columns.ts'
import { openTypes } from './type-project.ts'
import { typeOfColumn } from './type-of-column.ts'

/** A column as the table types of the code have it. */
export interface DeclaredColumn {
  readonly table: string
  readonly column: string
  /** What reading it gives, as TypeScript writes it; null where nothing does. */
  readonly read: string | null
  /** Whether that, null apart, is what the database gives; true where it has no such column. */
  readonly fits: boolean
  /** Undefined where it may be anything. */
  readonly readsNull: boolean | undefined
  readonly insert: 'needed' | 'optional' | 'never'
  readonly update: boolean
  readonly writesNull: boolean
}

type Use = 'read' | 'insert' | 'update'

/** The columns that the code declares, each beside what the database has in its place. */
export function declaredColumns(root: string, stored: readonly StoredColumn[]): DeclaredColumn[] {
  const types = openTypes(root, sourceOf(stored))
  try {
    const { checker } = types
    const inDatabase = membersOf(checker, types.type('Stored'))
    return [...membersOf(checker, types.type('Declared')).values()].flatMap((table) => {
      const columns = membersOf(checker, typeOf(checker, inDatabase.get(table.name)))
      return columnsOf(checker, table).map((members) =>
        columnOf(checker, { table: table.name, ...members, stored: columns.get(members.column) }),
      )
    })
  } finally {
    types.close()
  }
}

/** What Kysely makes of each table type, and what the database would have it be. */
function sourceOf(stored: readonly StoredColumn[]): string {
  const tables = [...Map.groupBy(stored, ({ table }) => table)].map(([table, columns]) => {
    const members = columns.map((column) => `${JSON.stringify(column.column)}: ${typeOfColumn(column)}`)
    return `${JSON.stringify(table)}: { ${members.join('; ')} }`
  })
  return `import type { Insertable, Selectable, Updateable } from 'kysely'
import type { Tables } from 'pergola'
export type Declared = {
  [T in keyof Tables]: { read: Selectable<Tables[T]>; insert: Insertable<Tables[T]>; update: Updateable<Tables[T]> }
}
export interface Stored { ${tables.join('; ')} }
`
}

type Members = { column: string } & { [U in Use]: Member | undefined }

/** The columns of a table, with the member that each has in every use. */
function columnsOf(checker: Checker, table: Member): Members[] {
  const uses = membersOf(checker, typeOf(checker, table))
  const within = (use: Use) => membersOf(checker, typeOf(checker, uses.get(use)))
  const [read, insert, update] = [within('read'), within('insert'), within('update')]
  const names = [...new Set([...read.keys(), ...insert.keys(), ...update.keys()])]
  return names.map((column) => ({
    column,
    read: read.get(column),
    insert: insert.get(column),
    update: update.get(column),
  }))
}

function columnOf(
  checker: Checker,
  { table, column, stored, ...uses }: Members & { table: string; stored: Member | undefined },
): DeclaredColumn {
  const read = typeOf(checker, uses.read)
  const wanted = typeOf(checker, stored)
  const written = [uses.insert, uses.update].map((member) => typeOf(checker, member))
  return {
    table,
    column,
    read: read && checker.typeToString(read).replaceAll('"', "'"),
    fits: read === null || wanted === null || isThat(checker, read, wanted),
    readsNull: read === null || isAnything(checker, read) ? undefined : takesNull(checker, read),
    insert: uses.insert === undefined ? 'never' : isOptional(uses.insert) ? 'optional' : 'needed',
    update: uses.update !== undefined,
    writesNull: written.some(
      (type) => type !== null && !isAnything(checker, type) && takesNull(checker, type),
    ),
  }
}

/** As wide as the database, or narrower where that lists no values; text stands for any list. */
function isThat(checker: Checker, read: Type, wanted: Type): boolean {
  const base = checker.getNonNullableType(read) ?? read
  const lists = wanted.isUnionType() && wanted.getTypes().every((type) => type.isStringLiteralType())
  if ((lists || wanted.isStringLiteralType()) && checker.isTypeAssignableTo(base, checker.getStringType()))
    return (
      checker.isTypeAssignableTo(wanted, base) &&
      (isText(checker, base) || checker.isTypeAssignableTo(base, wanted))
    )
  return checker.isTypeAssignableTo(base, wanted)
}

const isText = (checker: Checker, type: Type) => checker.isTypeAssignableTo(checker.getStringType(), type)
const isAnything = (checker: Checker, type: Type) =>
  checker.isTypeAssignableTo(checker.getUnknownType(), type)
const takesNull = (checker: Checker, type: Type) => checker.isTypeAssignableTo(checker.getNullType(), type)
const isOptional = ({ flags }: Member) => (flags & SymbolFlags.Optional) !== 0

const typeOf = (checker: Checker, member: Member | undefined): Type | null =>
  (member && checker.getTypeOfSymbol(member)) ?? null

const membersOf = (checker: Checker, type: Type | null): Map<string, Member> =>
  new Map((type === null ? [] : checker.getPropertiesOfType(type)).map((member) => [member.name, member]))
