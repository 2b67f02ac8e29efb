import { z } from 'zod'
import { field, filter, resource, type RowOf } from 'pergola'
import type { EventKind } from 'pergola/accounts'
import { EVENT_KINDS } from './security-event-kinds.ts'

export const SecurityEvent = resource('SecurityEvent', {
  table: 'security_events',
  // Only recordEvent writes events.
  input: z.strictObject({}),
  columns: [
    'kind',
    'actor_id',
    'target_id',
    'system',
    'detail',
    'address',
    'user_agent',
    'request_id',
    'created_at',
  ],
  filters: {
    kind: filter.one(z.enum(Object.keys(EVENT_KINDS) as [EventKind, ...EventKind[]]), {
      label: 'Kind of event',
      options: EVENT_KINDS,
    }),
    target_id: field.reference(),
    actor_id: field.reference(),
  },
})
export type SecurityEvent = RowOf<typeof SecurityEvent>
