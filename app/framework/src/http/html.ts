const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/**
 * Returns the value as text that is safe in HTML and in quoted attributes. Null and undefined become ''. Views
 * escape automatically.
 */
export function escapeHtml(value: unknown): string {
  if (value == null) return ''
  // oxlint-disable-next-line typescript/no-base-to-string -- prints whatever a view was given
  return String(value).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '')
}
