import { transcode } from 'node:buffer'

/**
 * Returns a text as UTF-8. A single `–` or `↕` makes a page a string of 16-bit characters, which `Buffer.from(text)`
 * encodes four times as slowly.
 */
export function utf8(text: string): Buffer {
  try {
    return transcode(Buffer.from(text, 'utf16le'), 'utf16le', 'utf8')
  } catch {
    // Half of a surrogate pair can't be transcoded. `Buffer.from` replaces it.
    return Buffer.from(text)
  }
}
