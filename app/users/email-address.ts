import { z } from 'zod'

const INVALID = 'Enter a valid email address.'

/** An email address that mail servers accept (RFC 5321), converted to lower case. */
export const emailAddress = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, 'This email address is too long.')
  .refine(hasShortMailbox, 'The part before the @ is too long. Use 64 characters or fewer.')
  .pipe(z.email(INVALID).regex(z.regexes.html5Email, INVALID))

function hasShortMailbox(address: string): boolean {
  return address.lastIndexOf('@') <= 64
}
