import { policy, scope } from '#framework'
import { User } from './user.ts'

export const userPolicy = policy(User, {
  // A name stands beside everything somebody published.
  canShow: () => true,
})

declare module '#framework' {
  interface Policies {
    User: typeof userPolicy
  }
}

export const userScope = scope(User, { where: (_ctx, is) => is.lit(true) })
