import { repository } from 'pergola'
import { postPolicy, postScope } from './post.policy.ts'
import { Post } from './post.ts'

export const posts = repository(Post, {
  api: '/api/posts',
  policy: postPolicy,
  scope: postScope,
  order: '-created_at',
})
