import type { Resource } from '../resource/resource.ts'

/**
 * Returns an `onMissingScope` function for the registry. It calls `warn` with a sentence when a list is empty
 * because its resource has no scope, once for each resource. For development.
 */
export function missingScopeWarning(warn: (sentence: string) => void): (resource: Resource) => void {
  const told = new Set<string>()
  return ({ name }) => {
    if (told.has(name)) return
    told.add(name)
    warn(`${name} has no scope, so its lists are empty. Give its repository one: scope(${name}, { where }).`)
  }
}
