import { contextOf } from 'pergola'
import { policyMatrix } from 'pergola/testing'
import { postPolicy } from './post.policy.ts'

const person = (userId: number, roles: string[] = []) =>
  contextOf({ id: 'session', userId, name: 'Test User', roles })

policyMatrix(
  postPolicy,
  {
    actors: { guest: contextOf(null), owner: person(1), stranger: person(2), admin: person(3, ['admin']) },
    records: { published: { author_id: 1, published: true }, draft: { author_id: 1, published: false } },
  },
  `
                         show  create  update  delete
    guest     published  +     -       -       -
    guest     draft      -     -       -       -
    owner     published  +     +       +       +
    owner     draft      +     +       +       +
    stranger  published  +     +       -       -
    stranger  draft      -     +       -       -
    admin     published  +     +       +       +
    admin     draft      +     +       +       +
  `,
)
