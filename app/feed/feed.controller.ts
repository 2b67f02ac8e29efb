import { cursorRequest, type Handler, policyContext, publicRoute, render, routes } from '#framework'
import { posts } from '#app/posts/post.repository.ts'
import { userNames } from '#app/users/user.repository.ts'

/** The newest published posts; a view that pages through them, and one that goes on and on. */
const showAs =
  (view: 'feed/index' | 'feed/scroll'): Handler =>
  async (req, res) => {
    const ctx = await policyContext(req)
    const page = await posts
      .visibleTo(ctx)
      .cursorPage(cursorRequest(req), { where: (is) => is('published', '=', true) })
    const authors = await userNames(
      ctx,
      page.content.map((post) => post.author_id),
    )
    await render(res, view, { page, authors })
  }

export const feedRoutes = routes('/feed', {
  'GET /': [publicRoute(), showAs('feed/index')],
  'GET /scroll': [publicRoute(), showAs('feed/scroll')],
})
