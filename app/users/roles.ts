/** What somebody may be besides a member: each is a box on the page of a user, and a word that rules may ask for. */
export const ROLES = ['admin'] as const
