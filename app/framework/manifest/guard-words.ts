import type { AuthorizeGuard } from '../authorization/authorize.ts'
import type { LoadGuard } from '../authorization/load.ts'
import type { AnyPolicy } from '../authorization/policy.ts'
import type { Access, Guard } from '../http/routes.ts'
import { ruleOf } from './rules.ts'

/** What a guard does, for people. */
export function guardInWords(guard: Guard): string {
  if (guard.kind === 'access') return accessInWords(guard as Access)
  if (guard.kind === 'load') {
    return `loads the ${(guard as LoadGuard).resource.name} whose id is in the path; without one it is a 404`
  }
  if (guard.kind === 'authorize') return decisionInWords(guard as AuthorizeGuard)
  return guard.kind === 'body' ? 'reads the JSON body' : `a guard of its own: ${guard.kind}`
}

function accessInWords({ access, roles }: Access): string {
  if (access === 'public') return 'anybody may come in'
  return roles.length === 0
    ? 'whoever is signed in may come in'
    : `the role ${roles.join(' or ')} may come in`
}

function decisionInWords({ action, resource }: AuthorizeGuard): string {
  const article = action === 'create' ? 'a' : 'the'
  return `asks whether the caller may ${action} ${article} ${resource.name}`
}

/** The rules that a decision consults, in their order, by their names in the policy. */
export function rulesAsked(policy: AnyPolicy, action: string): { key: string; rule: object }[] {
  const rule = ruleOf(policy, action)
  const before = policy.rules['before']
  // Without a rule of its own the action is denied, and `before` isn't asked either.
  if (rule === undefined) return []
  return [...(before === undefined ? [] : [{ key: 'before', rule: before }]), rule]
}
