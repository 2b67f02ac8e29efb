import type { Resource } from '../resource/resource.ts'

/**
 * For `registry.onMissingScope`: an empty list is easily taken for one without rows, so that `warn` is told, once for
 * each resource, that there is no scope.
 */
export function missingScopeWarning(warn: (sentence: string) => void): (resource: Resource) => void {
  const told = new Set<string>()
  return ({ name }) => {
    if (told.has(name)) return
    told.add(name)
    warn(`${name} has no scope, so its lists are empty. Give its repository one: scope(${name}, { where }).`)
  }
}
