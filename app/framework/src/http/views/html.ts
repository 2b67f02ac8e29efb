declare const isHtml: unique symbol

/** Text that is HTML already. `<%~ … %>` prints it; the check of views refuses it in `<%= … %>`, which escapes. */
export type Html = string & { readonly [isHtml]: true }

/** Marks a text as HTML. Escape all values in it first. */
export const html = (text: string): Html => text as Html

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
  // Most values of a page contain none of these characters, and the test takes half as long.
  if (!UNSAFE.test(text)) return text
  return text.replaceAll(EACH_UNSAFE, (character) => ENTITIES[character] ?? '')
}
