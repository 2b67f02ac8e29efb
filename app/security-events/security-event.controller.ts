import {
  cursorRequest,
  type Handler,
  listQuery,
  policyContext,
  type PolicyContext,
  render,
  routes,
  secured,
} from 'pergola'
import { browserName } from '#app/sessions/browser-name.ts'
import { adminGuards } from '#app/users/admin-guards.ts'
import { userNames } from '#app/users/user.repository.ts'
import { EVENT_KINDS } from './security-event-kinds.ts'
import { securityEvents } from './security-event.repository.ts'
import { SecurityEvent } from './security-event.ts'

const index: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const query = listQuery(req, SecurityEvent)
  const page = await securityEvents.visibleTo(ctx).cursorPage(cursorRequest(req, securityEvents), { query })
  const { target_id: userId } = query.filters
  const shown = await withTexts(ctx, page, userId)
  await render(res, 'security_events/index', { ...shown, query, userId })
}

const own: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const page = await securityEvents.visibleTo(ctx, 'own').cursorPage(cursorRequest(req, securityEvents))
  await render(res, 'security_events/own', await withTexts(ctx, page))
}

type Page = Awaited<ReturnType<ReturnType<typeof securityEvents.visibleTo>['cursorPage']>>

/** Rows may have kinds of earlier versions. */
const kinds: Readonly<Record<string, string>> = EVENT_KINDS

/** A page of events with its texts. */
export type ShownEvents = Awaited<ReturnType<typeof withTexts>>

/** Adds the texts that the rows of a page don't contain. */
async function withTexts(ctx: PolicyContext, page: Page, userId: number | null = null) {
  const userIds = page.content.flatMap(({ actor_id, target_id }) => [actor_id, target_id])
  const content = page.content.map((event) => ({
    ...event,
    browser: event.user_agent == null ? null : browserName(event.user_agent),
  }))
  return { page: { ...page, content }, names: await userNames(ctx, [...userIds, userId]), kinds }
}

export const securityEventRoutes = routes('/security-events', {
  'GET /': [...adminGuards, index],
})

/** The events of the caller's own account. */
export const ownSecurityEventRoutes = routes('/account/security-events', {
  'GET /': [secured(), own],
})
