import type { AnyPolicy, AnyScope, Registry } from '../policy/authorization-types.ts'
import type { Resource } from '../resource/resource.ts'

/** Returns the policies and scopes by resource. Throws if a resource has two policies or two scopes. */
export const makeRegistry = (policies: Iterable<AnyPolicy>, scopes: Iterable<AnyScope>): Registry => ({
  policies: byResource('policy', policies),
  scopes: byResource('scope', scopes),
})

function byResource<Rule extends { resource: Resource }>(
  kind: 'policy' | 'scope',
  rules: Iterable<Rule>,
): Map<Resource, Rule> {
  const registered = new Map<Resource, Rule>()
  for (const rule of rules) {
    const { resource } = rule
    if ((registered.get(resource) ?? rule) !== rule) {
      throw new Error(`${resource.name} has more than one ${kind}. Remove all but one.`)
    }
    registered.set(resource, rule)
  }
  return registered
}

/**
 * Returns an `onMissingScope` function for the registry. It calls `warn` with a sentence when a list is empty
 * because its resource has no scope, once for each resource. For development.
 */
export function missingScopeWarning(warn: (sentence: string) => void): (resource: Resource) => void {
  const warned = new Set<string>()
  return ({ name }) => {
    if (warned.has(name)) return
    warned.add(name)
    warn(`${name} has no scope, so its lists are empty. Give its repository one: scope(${name}, { where }).`)
  }
}
