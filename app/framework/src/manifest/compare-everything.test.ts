import { describe, expect, it } from 'vitest'
import { productionManifest } from '../../test/fixtures/manifest.ts'
import { compareManifests } from './compare.ts'
import type { Manifest } from './schema.ts'

const base = productionManifest()

describe('compareManifests', () => {
  it('reports every change', () => {
    const changes = leaves(base).filter((path) => !/provenance|schema_version|not_visible|reason/.test(path))
    // The decisions of a route are reported with the route.
    const reported = changes.filter((path) => !/authorization_policies entries| (?:scope|fields)$/.test(path))
    expect(reported.length).toBeGreaterThan(200)
    const silent = reported.filter((path) => {
      const { wider, narrower, other } = compareManifests(base, changedAt(path))
      return wider.length + narrower.length + other.length === 0
    })
    expect(silent).toEqual([])
  })
})

/** Returns the paths of all values. */
function leaves(value: unknown, path: readonly string[] = []): string[] {
  if (typeof value !== 'object' || value === null) return [path.join(' ')]
  return Object.entries(value).flatMap(([name, inner]) => leaves(inner, [...path, name]))
}

function changedAt(path: string): Manifest {
  const manifest = structuredClone(base)
  const keys = path.split(' ')
  const last = keys.pop() ?? ''
  let at = manifest as unknown as Record<string, unknown>
  for (const name of keys) at = at[name] as Record<string, unknown>
  const other = at[last] === 'gated' ? 'public' : 'gated'
  at[last] = typeof at[last] === 'boolean' ? !at[last] : other
  return manifest
}
