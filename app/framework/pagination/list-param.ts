/**
 * The name of a list's parameter: `page`, or `comments_page` with the prefix of one of several lists on a page.
 * Throws where the prefix has anything but letters, digits, `-` and `_`.
 */
export function listParam(name: string, prefix?: string): string {
  if (prefix === undefined) return name
  if (/^[\w-]+$/.test(prefix)) return `${prefix}_${name}`
  throw new Error(
    `A list's prefix is made of letters, digits, - and _, like 'comments'; got ${JSON.stringify(prefix)}`,
  )
}
