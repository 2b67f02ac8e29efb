import { contextOf } from 'pergola'
import { policyMatrix } from 'pergola/testing'
import { userPolicy } from './user.policy.ts'
import type { User } from './user.ts'

const person = (userId: number, roles: string[] = []) =>
  contextOf({ id: 'session', userId, name: 'Somebody', roles })
const user = {
  id: 1,
  name: 'Alice',
  roles: [],
  disabled_at: null,
  created_at: '2026-04-27T12:00:00.123456Z',
  version: 1,
} as Partial<User> as User

policyMatrix(
  userPolicy,
  {
    actors: { guest: contextOf(null), alice: person(1), bob: person(2), admin: person(3, ['admin']) },
    records: { 'alice’s': user },
  },
  `
                    show  create  update  delete  administer
  guest   alice’s   +     -       -       -       -
  alice   alice’s   +     -       +       +       -
  bob     alice’s   +     -       -       -       -
  admin   alice’s   +     +       -       -       +
  `,
)
