const UNSAFE = /[&<>"'`]/
const EACH_UNSAFE = new RegExp(UNSAFE, 'g')

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/**
 * Returns the value as text that is safe in HTML and in quoted attributes. Returns '' for null and undefined. In
 * views, `<%= … %>` escapes automatically.
 */
export function escapeHtml(value: unknown): string {
  if (value == null) return ''
  // oxlint-disable-next-line typescript/no-base-to-string -- converts any value of a view
  const text = typeof value === 'string' ? value : String(value)
  // Most values of a page contain none of these characters.
  const first = text.search(UNSAFE)
  return first === -1 ? text : escapeFrom(text, first)
}

/** Escapes a text from its first unsafe character. A loop, since `replace` with a function takes twice as long. */
function escapeFrom(text: string, first: number): string {
  let escaped = ''
  let end = 0
  EACH_UNSAFE.lastIndex = first
  while (EACH_UNSAFE.test(text)) {
    const place = EACH_UNSAFE.lastIndex - 1
    escaped += text.slice(end, place) + ENTITIES[text.charAt(place)]
    end = place + 1
  }
  return escaped + text.slice(end)
}
