import { policy, type PolicyContext, scope } from 'pergola'
import { fieldRules } from 'pergola/features'
import { SecurityEvent } from './security-event.ts'

// The users of an account don't see the network address of an admin who changed it.
const seesClient = (ctx: PolicyContext, event: { actor_id: number | null }) =>
  ctx.hasRole('admin') || event.actor_id === null || ctx.owns(event.actor_id)

export const securityEventPolicy = policy(
  SecurityEvent,
  { canShow: (ctx, event) => ctx.owns(event.target_id) || ctx.hasRole('admin') },
  { fields: fieldRules(SecurityEvent, { address: { see: seesClient }, user_agent: { see: seesClient } }) },
)

declare module 'pergola' {
  interface Policies {
    SecurityEvent: typeof securityEventPolicy
  }
  interface Scopes {
    SecurityEvent: typeof securityEventScope
  }
}

export const securityEventScope = scope(SecurityEvent, {
  where: (ctx, is) => (ctx.hasRole('admin') ? is.lit(true) : is('target_id', '=', ctx.userId)),
  variants: { own: (ctx, is) => is('target_id', '=', ctx.userId) },
})
