import type { DeclaredResource } from 'pergola'
import { postRoutes } from './posts/post.controller.ts'
import { posts } from './posts/post.repository.ts'
import { seedPosts } from './posts/post.seed.ts'
import { userRoutes } from './users/user.controller.ts'
import { users } from './users/user.repository.ts'

/** Every resource of the application, in the order of the alphabet. */
export const resources: readonly DeclaredResource[] = [
  { repository: posts, routes: postRoutes, nav: 'Posts', seed: seedPosts },
  { repository: users, routes: userRoutes },
]
