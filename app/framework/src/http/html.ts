const ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** Makes a value safe as HTML text or in a quoted attribute, nowhere else. Null and undefined are ''. */
export function escapeHtml(value: unknown): string {
  if (value == null) return ''
  // oxlint-disable-next-line typescript/no-base-to-string -- prints whatever a view was given
  return String(value).replace(/[&<>"'`]/g, (character) => ENTITIES[character] ?? '')
}
