import { policy, type PolicyContext, scope } from 'pergola'
import { Post } from './post.ts'

const mayWrite = (ctx: PolicyContext, post: Post) => ctx.owns(post.author_id) || ctx.hasRole('admin')

export const postPolicy = policy(Post, {
  canShow: (ctx, post) => post.published || ctx.owns(post.author_id) || ctx.hasRole('admin'),
  canCreate: (ctx) => ctx.userId !== null,
  canUpdate: mayWrite,
  canDelete: mayWrite,
})

declare module 'pergola' {
  interface Policies {
    Post: typeof postPolicy
  }
}

export const postScope = scope(Post, {
  where: (ctx, is) =>
    ctx.hasRole('admin')
      ? is.lit(true)
      : is.or([is('published', '=', true), is('author_id', '=', ctx.userId)]),
})
