import { z } from 'zod'

const INVALID = 'Enter a valid email address.'

/** An email address that mail servers accept, converted to lower case. */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'This email address is too long.')
  .pipe(z.email(INVALID).regex(z.regexes.html5Email, INVALID))
