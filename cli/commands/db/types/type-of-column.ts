import type { StoredColumn } from './stored-columns.ts'

const SCALARS = new Map([
  ...['int2', 'int4', 'oid', 'float4', 'float8'].map((type) => [type, 'number'] as const),
  // The application decides what these contain.
  ...['json', 'jsonb', 'interval', 'point', 'circle'].map((type) => [type, 'unknown'] as const),
  ['bool', 'boolean'],
  ['bytea', 'Buffer'],
])

/** The element types that the driver parses. An array of any other type is read as one string. */
const ELEMENTS = new Map([
  ...['int2', 'int4', 'oid', 'float4', 'float8', 'numeric'].map((type) => [type, 'number'] as const),
  ...['json', 'jsonb', 'interval', 'point'].map((type) => [type, 'unknown'] as const),
  ...['int8', 'text', 'varchar', 'bpchar', 'uuid', 'date', 'time', 'timetz', 'timestamp'].map(
    (type) => [type, 'string'] as const,
  ),
  ...['timestamptz', 'inet', 'cidr', 'macaddr', 'money', 'numrange'].map((type) => [type, 'string'] as const),
  ['bool', 'boolean'],
  ['bytea', 'Buffer'],
])

/** Returns the TypeScript type of this column's values, without null; see framework/src/database/column-types.ts. */
export function typeOfColumn({ column, type, is_array, values }: StoredColumn): string {
  if (is_array) return ELEMENTS.has(type) ? `readonly ${ELEMENTS.get(type)}[]` : 'string'
  if (type === 'int8') return /(^|_)id$/.test(column) ? 'number' : 'string'
  if (values !== null) return values.map(quoted).join(' | ')
  return SCALARS.get(type) ?? 'string'
}

const quoted = (value: string) =>
  `'${value.replaceAll(/[\\']/g, String.raw`\$&`).replaceAll('\n', String.raw`\n`)}'`
