import type { Request } from 'express'
import { cursorRequest, type Handler, policyContext, publicRoute, render, routes } from 'pergola'
import { posts } from '#app/posts/post.repository.ts'
import { userNames } from '#app/users/user.repository.ts'

const index: Handler = async (req, res) => render(res, 'feed/index', await newest(req))

const scroll: Handler = async (req, res) => render(res, 'feed/scroll', await newest(req))

/** Published posts, the newest first. Drafts stay away from their own authors too: a feed is what everybody reads. */
async function newest(req: Request) {
  const ctx = await policyContext(req)
  const page = await posts
    .visibleTo(ctx)
    .cursorPage(cursorRequest(req), { where: (is) => is('published', '=', true) })
  const authorIds = page.content.map((post) => post.author_id)
  return { page, authors: await userNames(ctx, authorIds) }
}

export const feedRoutes = routes('/feed', {
  'GET /': [publicRoute(), index],
  'GET /scroll': [publicRoute(), scroll],
})
