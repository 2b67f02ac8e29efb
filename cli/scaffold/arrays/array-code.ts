import { literal } from '../code/snippets.ts'
import type { Field } from '../field-types/field-type.ts'

/** Returns the code of a column's type. Kysely doesn't know the types of arrays. */
export const typeCode = (type: string): string => (type.endsWith('[]') ? `sql\`${type}\`` : `'${type}'`)

/** Returns the code of the default of a field that has one. */
export const defaultCode = ({ type, default: usual = '' }: Field): string =>
  type.isArray ? "sql`'{}'`" : literal(usual)
