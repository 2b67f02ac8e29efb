const LONGEST = 2_048

/**
 * The path to go back to, or `/` for anything that could lead elsewhere: another host, another scheme,
 * a backslash or a control character that a browser would read as one, encoded as often as you like.
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
