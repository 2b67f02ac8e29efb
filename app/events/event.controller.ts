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
import { userNames } from '#app/users/user.repository.ts'
import { EVENT_KINDS } from './event-kinds.ts'
import { events } from './event.repository.ts'
import { SecurityEvent } from './event.ts'

const index: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const query = listQuery(req, SecurityEvent)
  const page = await events.visibleTo(ctx).cursorPage(cursorRequest(req, events), { query })
  const { target_id: userId } = query.filters
  const shown = await withTexts(ctx, page, userId)
  await render(res, 'events/index', { ...shown, query, userId })
}

const own: Handler = async (req, res) => {
  const ctx = await policyContext(req)
  const page = await events.visibleTo(ctx, 'own').cursorPage(cursorRequest(req, events))
  await render(res, 'events/own', await withTexts(ctx, page))
}

type Page = Awaited<ReturnType<ReturnType<typeof events.visibleTo>['cursorPage']>>

/** Adds the texts that the rows of a page don't contain. */
async function withTexts(ctx: PolicyContext, page: Page, userId: number | null = null) {
  const userIds = page.content.flatMap(({ actor_id, target_id }) => [actor_id, target_id])
  const content = page.content.map((event) => ({
    ...event,
    browser: event.user_agent == null ? null : browserName(event.user_agent),
  }))
  return { page: { ...page, content }, names: await userNames(ctx, [...userIds, userId]), kinds: EVENT_KINDS }
}

export const eventRoutes = routes('/events', {
  'GET /': [secured('admin'), index],
})

/** The events of the caller's own account. */
export const ownEventRoutes = routes('/account/events', {
  'GET /': [secured(), own],
})
