import { recentlyConfirmed, secured } from 'pergola'

/** The guards of each page for admins: the role, and a sign-in that an old session of an admin doesn't have. */
export const adminGuards = [secured('admin'), recentlyConfirmed('1 hour')] as const
