import type { Request } from 'express'
import { type Handler, pageRequest, policyContext, publicRoute, render, routes } from '#framework'
import type { CursorPage } from '#app/framework/pagination/cursor-page.ts'
import { posts } from '#app/posts/post.repository.ts'
import type { Post } from '#app/posts/post.ts'
import { userNames } from '#app/users/user.repository.ts'

const index: Handler = async (req, res) => render(res, 'feed/index', await newest(req))

const scroll: Handler = async (req, res) => render(res, 'feed/scroll', await newest(req))

/** A stand-in: the id alone is the cursor, and `~` before it walks back. */
async function newest(req: Request) {
  const ctx = await policyContext(req)
  const { size } = pageRequest(req)
  const cursor = new URL(req.originalUrl, 'http://x').searchParams.get('cursor') ?? ''
  const all = await posts.visibleTo(ctx).findAll({ where: (is) => is('published', '=', true) })
  const after = all.findIndex(({ id }) => id < Number(cursor.replace('~', '')))
  const start = cursor === '' ? 0 : Math.max(0, cursor.startsWith('~') ? after - 1 - size : after)
  const content = after < 0 && cursor !== '' ? [] : all.slice(start, start + size)
  const last = content.at(-1)
  const page: CursorPage<Post> = {
    content,
    size,
    next_cursor: last && start + size < all.length ? String(last.id) : null,
    prev_cursor: content[0] && start > 0 ? `~${content[0].id}` : null,
    has_next: start + size < all.length,
    has_previous: start > 0,
  }
  const authors = await userNames(
    ctx,
    content.map((post) => post.author_id),
  )
  return { page, authors }
}

export const feedRoutes = routes('/feed', {
  'GET /': [publicRoute(), index],
  'GET /scroll': [publicRoute(), scroll],
})
