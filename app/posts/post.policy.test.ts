import { contextOf } from '#framework'
import { policyMatrix } from '#app/test/policy-matrix.ts'
import { postPolicy } from './post.policy.ts'
import type { Post } from './post.ts'

const person = (userId: number, roles: string[] = []) =>
  contextOf({ id: 'session', userId, name: 'Somebody', roles })
const post: Post = {
  id: 7,
  title: 'Pruning',
  body: 'In March.',
  published: true,
  author_id: 1,
  created_at: '2026-04-27T12:00:00.123456Z',
}

policyMatrix(
  postPolicy,
  {
    actors: { guest: contextOf(null), author: person(1), stranger: person(2), admin: person(3, ['admin']) },
    records: { published: post, draft: { ...post, published: false } },
  },
  `
                       show  create  update  delete
  guest     published   +     -       -       -
  guest     draft       -     -       -       -
  author    published   +     +       +       +
  author    draft       +     +       +       +
  stranger  published   +     +       -       -
  stranger  draft       -     +       -       -
  admin     published   +     +       +       +
  admin     draft       +     +       +       +
  `,
)
