import { createHash } from 'node:crypto'

/** The maximum length of a name in Postgres in bytes. Postgres truncates longer names. */
const LONGEST = 63

/**
 * Returns the name of a constraint or an index: `constraintName('posts', 'title', 'length')` is `posts_title_length`. A
 * name of more than 63 bytes ends in a hash, so that it is still unique.
 */
export function constraintName(...parts: readonly string[]): string {
  const name = parts.join('_')
  const bytes = Buffer.from(name)
  if (bytes.length <= LONGEST) return name
  const hash = createHash('sha256').update(name).digest('hex').slice(0, 8)
  // With `stream`, the decoder omits an incomplete character at the end.
  const beginning = new TextDecoder().decode(bytes.subarray(0, LONGEST - 1 - hash.length), { stream: true })
  return `${beginning}_${hash}`
}
