import { repository } from 'pergola'
import { eventPolicy, eventScope } from './event.policy.ts'
import { SecurityEvent } from './event.ts'

export const events = repository(SecurityEvent, {
  policy: eventPolicy,
  scope: eventScope,
  cursorKey: 'created_at',
})
