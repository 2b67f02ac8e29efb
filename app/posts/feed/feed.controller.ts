import type { Request } from 'express'
import { cursorRequest, type Handler, policyContext, publicRoute, render, routes } from 'pergola'
import { userNames } from '#app/users/user.repository.ts'
import { posts } from '../post.repository.ts'
import { postsCounts } from '../tasks/posts-count.ts'

const index: Handler = async (req, res) => render(res, 'posts/feed/index', await newest(req))

const scroll: Handler = async (req, res) => render(res, 'posts/feed/scroll', await newest(req))

/** Returns published posts, newest first. The feed is the same for all users: authors don't see their drafts in it. */
async function newest(req: Request) {
  const ctx = await policyContext(req)
  const page = await posts
    .visibleTo(ctx)
    .cursorPage(cursorRequest(req, posts), { where: (is) => is('published', '=', true) })
  const authorIds = page.content.map((post) => post.author_id)
  return { page, authors: await userNames(ctx, authorIds), counts: await postsCounts(authorIds) }
}

export const feedRoutes = routes('/feed', {
  'GET /': [publicRoute(), index],
  'GET /scroll': [publicRoute(), scroll],
})
