import type { TokenUser } from '#app/account-tokens/account-tokens.ts'

/** Returns the column to update when a user opened a link that was sent to their address. */
export const verifiedNow = ({ isVerified }: TokenUser): { email_verified_at?: string } =>
  isVerified ? {} : { email_verified_at: new Date().toISOString() }
