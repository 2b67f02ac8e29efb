/** Returns whether Postgres can store the text: without NUL, and without half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
