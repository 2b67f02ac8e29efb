import { z } from 'zod'

/**
 * Characters without a shape of their own: controls, direction marks, line separators, and fillers such as U+3164, which is
 * a letter. Of these, only selectors of glyphs are allowed, which Japanese names and emoji contain.
 */
const INVISIBLE =
  /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\u2800[\p{Default_Ignorable_Code_Point}--\p{Variation_Selector}]]/v

/** The name of a user on pages and in mails. Invisible characters could make one name look like another. */
export const displayName = z
  .string()
  .trim()
  .regex(/[\p{L}\p{N}]/u, 'Use at least one letter or digit.')
  .refine((name) => !INVISIBLE.test(name), 'Use visible characters only.')
  .max(80, 'Use 80 characters or fewer.')
