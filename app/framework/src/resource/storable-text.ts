/** Returns whether Postgres can store the text. It rejects NUL, and half of a surrogate pair is not valid UTF-8. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()
