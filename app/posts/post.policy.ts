import { policy, scope } from 'pergola'
import { Post } from './post.ts'

export const postPolicy = policy(Post, {
  canShow: (ctx, post) => post.published || ctx.owns(post.author_id) || ctx.hasRole('admin'),
  canCreate: (ctx) => ctx.userId !== null,
  canUpdate: (ctx, post) => ctx.owns(post.author_id) || ctx.hasRole('admin'),
  canDelete: (ctx, post) => ctx.owns(post.author_id) || ctx.hasRole('admin'),
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
