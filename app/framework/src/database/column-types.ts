import { type CustomTypesConfig, types } from 'pg'

const { builtins } = types

/**
 * The types of column values: bigint, numeric and dates as the text of Postgres, timestamps as exact RFC 3339 text in
 * UTC. Passed to each pool; the parsers that `pg` shares between all pools are not changed.
 */
export const columnTypes: CustomTypesConfig = {
  getTypeParser: ((type: number, format?: 'text' | 'binary') =>
    format === 'binary'
      ? types.getTypeParser(type, format)
      : (asText.get(type) ?? types.getTypeParser(type))) as never,
}

const TEXT_ARRAY = 1009
const readTexts = types.getTypeParser(TEXT_ARRAY as never) as (value: string) => TextArray

const asText = new Map<number, (value: string) => unknown>([
  [builtins.DATE, (value) => value],
  // The driver's parser returns the same text, after a regular expression.
  [builtins.INT8, (value) => value],
  [builtins.TIMESTAMP, (value) => exactTimestamp(value)],
  [builtins.TIMESTAMPTZ, (value) => exactTimestamp(value)],
  // The arrays of these three types. The driver has no names for them.
  [1182, readTexts],
  [1115, (value) => exactTimestamps(readTexts(value))],
  [1185, (value) => exactTimestamps(readTexts(value))],
])

/** An array of any dimension, whose elements may be null. */
type TextArray = (string | null | TextArray)[]

const exactTimestamps = (values: TextArray): TextArray =>
  values.map((value) => {
    if (value === null) return null
    return typeof value === 'string' ? exactTimestamp(value) : exactTimestamps(value)
  })

const ORDINARY = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)(?:\.(\d{1,6}))?(\+00)?$/

/**
 * Returns a timestamp of Postgres as RFC 3339 text: `2026-04-27 12:00:00.1234+00` → `2026-04-27T12:00:00.123400Z`.
 * Returns `infinity`, years BC and years after 9999 unchanged.
 */
export function exactTimestamp(value: string): string {
  const parts = ORDINARY.exec(value)
  if (parts === null) return value
  const [, date, time, fraction = '', zone] = parts
  return `${date}T${time}.${fraction.padEnd(6, '0')}${zone === undefined ? '' : 'Z'}`
}

/**
 * Returns the parser of a column. Bigint columns named `id` or `…_id` become numbers, other bigint columns stay exact
 * text. The parser throws for an id beyond 2^53, which a number would round.
 */
export function parserOf({ name, dataTypeID }: ColumnType): (text: string) => unknown {
  if (dataTypeID === builtins.INT8 && /(^|_)id$/.test(name)) return (text) => safeId(text, name)
  return columnTypes.getTypeParser(dataTypeID, 'text') as (text: string) => unknown
}

interface ColumnType {
  readonly name: string
  /** The object id of its type in Postgres. */
  readonly dataTypeID: number
}

function safeId(text: string, column: string): number {
  const id = Number(text)
  if (!Number.isSafeInteger(id)) throw new InexactId(`${column} ${id} is beyond 2^53 and can't be a number.`)
  return id
}

/** Thrown for an id that a number would round. The statement and its connection are in order. */
export class InexactId extends RangeError {}
