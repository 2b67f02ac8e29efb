/** Returns whether Postgres can store the text unchanged: without NUL, and without half of a surrogate pair. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
