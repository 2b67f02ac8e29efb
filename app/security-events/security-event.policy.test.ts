import { contextOf } from 'pergola'
import { policyMatrix } from 'pergola/testing'
import { securityEventPolicy } from './security-event.policy.ts'

const person = (userId: number, roles: string[] = []) =>
  contextOf({ id: 'session', userId, name: 'Test User', roles })

policyMatrix(
  securityEventPolicy,
  {
    actors: { guest: contextOf(null), target: person(1), stranger: person(2), admin: person(3, ['admin']) },
    records: { own: { target_id: 1 }, nobodys: { target_id: null } },
  },
  `
                       show  create  update  delete
    guest     own       -     -       -       -
    guest     nobodys   -     -       -       -
    target    own       +     -       -       -
    target    nobodys   -     -       -       -
    stranger  own       -     -       -       -
    stranger  nobodys   -     -       -       -
    admin     own       +     -       -       -
    admin     nobodys   +     -       -       -
  `,
)
