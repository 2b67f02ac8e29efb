import { type Manifest, sortedBy } from './schema.ts'

/**
 * Returns the manifest as the text of its file. Keys are sorted, so that equal manifests have equal text. A record without
 * other records, such as a route, is one line, so that a review and a merge compare records.
 */
export const manifestText = (manifest: Manifest): string => `${written(manifest, '')}\n`

/** The width of a line that contains other records. */
const WIDTH = 120

function written(value: unknown, indent: string, isInList = false): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  const isList = Array.isArray(value)
  const lines = isList
    ? value.map((item: unknown) => written(item, inner, true))
    : sortedBy(Object.entries(value), ([key]) => key).map(
        ([key, item]) => `${JSON.stringify(key)}: ${written(item, inner)}`,
      )
  if (lines.length === 0) return isList ? '[]' : '{}'
  const line = isList ? `[${lines.join(', ')}]` : `{ ${lines.join(', ')} }`
  const isRecord = isInList && !isList && Object.values(value).every(isFlat)
  if (!line.includes('\n') && (isRecord || indent.length + line.length <= WIDTH)) return line
  const [open, close] = isList ? '[]' : '{}'
  return `${open}\n${lines.map((each) => inner + each).join(',\n')}\n${indent}${close}`
}

/** Whether a value contains no record. */
const isFlat = (value: unknown): boolean =>
  typeof value !== 'object' || value === null || (Array.isArray(value) && value.every(isFlat))
