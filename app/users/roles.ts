/** The roles of users. Each is a checkbox on a user's page, and an argument of `ctx.hasRole` and `secured`. */
export const ROLES = ['admin'] as const
