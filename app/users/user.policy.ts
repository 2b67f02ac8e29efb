import { policy, scope } from 'pergola'
import { User } from './user.ts'

export const userPolicy = policy(User, {
  // Pages show the names of authors to all visitors.
  canShow: () => true,
  // By an invitation. Sign-up asks no policy, because its visitor is not a user yet.
  canCreate: (ctx) => ctx.hasRole('admin'),
  canUpdate: (ctx, user) => ctx.owns(user.id),
  canDelete: (ctx, user) => ctx.owns(user.id),
  // Admins manage roles, access, sessions and deletion. They can rename only users who never signed in.
  canAdminister: (ctx) => ctx.hasRole('admin'),
})

declare module 'pergola' {
  interface Policies {
    User: typeof userPolicy
  }
}

export const userScope = scope(User, { where: (_ctx, is) => is.lit(true) })
