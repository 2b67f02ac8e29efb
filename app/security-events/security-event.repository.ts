import { repository } from 'pergola'
import { securityEventPolicy, securityEventScope } from './security-event.policy.ts'
import { SecurityEvent } from './security-event.ts'

export const securityEvents = repository(SecurityEvent, {
  policy: securityEventPolicy,
  scope: securityEventScope,
})
