import type { DeclaredResource } from 'pergola'
import { removalRoutes } from './account/removal.controller.ts'
import { securityEventRoutes, ownSecurityEventRoutes } from './security-events/security-event.controller.ts'
import { securityEvents } from './security-events/security-event.repository.ts'
import { pruneEvents } from './security-events/tasks/prune-events.ts'
import { feedRoutes } from './posts/feed/feed.controller.ts'
import { postRoutes } from './posts/post.controller.ts'
import { posts } from './posts/post.repository.ts'
import { seedThousandPosts } from './posts/seed/thousand-posts.ts'
import { importPosts } from './posts/tasks/import-posts.ts'
import { recountPosts } from './posts/tasks/recount-posts.ts'
import { invitationRoutes } from './users/invitation.controller.ts'
import { userRoutes } from './users/user.controller.ts'
import { users } from './users/user.repository.ts'
import { demoUserIds, seedUsers } from './users/user.seed.ts'

/** Every resource of the application, in alphabetical order. */
export const resources = [
  {
    repository: securityEvents,
    routes: { securityEventRoutes, ownSecurityEventRoutes },
    nav: { securityEventRoutes: 'Security events' },
    navGroup: 'Administration',
    tasks: [pruneEvents],
  },
  {
    repository: posts,
    routes: { postRoutes, feedRoutes },
    nav: { postRoutes: 'Posts', feedRoutes: 'Feed' },
    seed: seedThousandPosts,
    tasks: [importPosts, recountPosts],
  },
  {
    repository: users,
    routes: { userRoutes, invitationRoutes, removalRoutes },
    nav: 'Users',
    navGroup: 'Administration',
    seed: seedUsers,
    exampleOwners: demoUserIds,
  },
] as const satisfies readonly DeclaredResource[]
