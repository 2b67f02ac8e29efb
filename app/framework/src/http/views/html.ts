const UNSAFE = /[&<>"'`]/g

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
  return text.replaceAll(UNSAFE, (character) => ENTITIES[character] ?? '')
}
