import { z } from 'zod'

/**
 * Characters without a shape of their own: controls, direction marks, line separators, and fillers such as U+3164, which is
 * a letter. Of these, only selectors of glyphs are allowed, which Japanese names and emoji contain, and joiners.
 */
const INVISIBLE =
  /[[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]--[\u200c\u200d]]/v

/**
 * A joiner that is neither in a word of a script that joins its letters, nor in an emoji of several parts: it would change nothing that a reader sees.
 */
const STRAY_JOINER =
  /(?<![\p{scx=Arab}\p{scx=Syrc}\p{scx=Mong}\p{scx=Deva}\p{scx=Beng}\p{scx=Guru}\p{scx=Gujr}\p{scx=Orya}\p{scx=Taml}\p{scx=Telu}\p{scx=Knda}\p{scx=Mlym}\p{scx=Sinh}\p{scx=Mymr}\p{scx=Khmr}\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f])[\u200c\u200d]|[\u200c\u200d](?![\p{L}\p{M}\p{Extended_Pictographic}])/v

/** Marks over marks cover the lines around a name. */
const MARKS = /\p{M}{5}/u

/** Mail clients make links of these, so that a mail to a stranger could have one. */
const ADDRESS = /:\/\/|\bwww\.|[\p{L}\p{N}-]{2}\.\p{Ll}{2,}(?![\p{L}\p{N}.])/u

/** The name of a user on pages and in mails. Invisible characters could make one name look like another. */
export const displayName = z
  .string()
  .trim()
  .regex(/[\p{L}\p{N}]/u, 'Use at least one letter or digit.')
  .refine((name) => !INVISIBLE.test(name) && !STRAY_JOINER.test(name), 'Use visible characters only.')
  .refine((name) => !MARKS.test(name), 'Use fewer marks above and below a letter.')
  .refine((name) => !ADDRESS.test(name), 'Use a name, not an address.')
  .max(80, 'Use 80 characters or fewer.')
