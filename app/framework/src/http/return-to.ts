const LONGEST = 2_048

/**
 * Returns the path of a `return_to` parameter if it leads to this site, and `/` otherwise. Returns `/` for other hosts
 * and schemes, and for a path with backslashes or control characters, whether encoded or not.
 */
export function localPath(value: unknown): string {
  if (typeof value !== 'string' || value.length > LONGEST) return '/'
  return decodings(value).every(isLocal) ? value : '/'
}

const isLocal = (path: string): boolean =>
  path.startsWith('/') &&
  !path.startsWith('//') &&
  !/[\\\p{Cc}]/u.test(path) &&
  URL.canParse(path, 'http://local')

function decodings(value: string): string[] {
  const texts = [value]
  for (let text = value; texts.length < 4; texts.push(text)) {
    try {
      text = decodeURIComponent(text)
    } catch {
      return texts
    }
  }
  return texts
}
