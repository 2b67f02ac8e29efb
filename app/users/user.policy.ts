import { policy, scope } from 'pergola'
import { User } from './user.ts'

export const userPolicy = policy(User, {
  // A name stands beside everything somebody published.
  canShow: () => true,
  canUpdate: (ctx, user) => ctx.owns(user.id),
  canDelete: (ctx, user) => ctx.owns(user.id),
  // Roles, access and sessions of anybody; names stay with those who bear them.
  canAdminister: (ctx) => ctx.hasRole('admin'),
})

declare module 'pergola' {
  interface Policies {
    User: typeof userPolicy
  }
}

export const userScope = scope(User, { where: (_ctx, is) => is.lit(true) })
