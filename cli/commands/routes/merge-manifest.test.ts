import { describe, expect, it } from 'vitest'
import { compareManifests, type Manifest, manifestText, type RouteEntry } from 'pergola/manifest'
import { productionManifest } from '#app/manifest.ts'
import { mergeManifest } from './merge-manifest.ts'

const manifest = productionManifest()

function changed(from: Manifest, change: (manifest: Manifest) => void): Manifest {
  const copy = structuredClone(from)
  change(copy)
  return copy
}

const route = (path: string, more: Partial<RouteEntry> = {}): RouteEntry => ({
  method: 'GET',
  path,
  name: `${path.slice(1)}.index`,
  classification: 'public',
  roles: [],
  policy: null,
  guards: ['public'],
  ...more,
})
const addRoute = (entry: RouteEntry) => (manifest: Manifest) => {
  const { routes } = manifest.dimensions
  routes.entries = [...routes.entries, entry].toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}
const keyOf = ({ path, method, name }: RouteEntry) => `${path} ${method} ${name}`
const user = ({ dimensions }: Manifest) => {
  const resource = dimensions.authorization_policies.resources.find(({ resource }) => resource === 'User')
  if (resource === undefined) throw new Error('User is missing')
  return resource
}

describe('mergeManifest', () => {
  it('returns the manifest of the code if everything else is reviewed', () => {
    const after = changed(manifest, addRoute(route('/zebras')))
    expect(manifestText(mergeManifest(manifest, { before: manifest, after }))).toBe(manifestText(after))
  })

  it('omits an unreviewed route when another one is added, changed or removed', () => {
    const own = addRoute(route('/own'))
    const added = changed(manifest, addRoute(route('/zebras')))
    const grown = changed(manifest, addRoute(route('/zebras', { guards: ['secured'] })))
    for (const [old, now] of [
      [manifest, added],
      [added, grown],
      [grown, manifest],
    ] as const) {
      const merged = mergeManifest(old, { before: changed(old, own), after: changed(now, own) })
      expect(manifestText(merged)).toBe(manifestText(now))
      expect(compareManifests(merged, changed(now, own)).wider).toEqual([expect.stringContaining('/own')])
    }
  })

  it('keeps a route whose removal is unreviewed', () => {
    const own = changed(manifest, addRoute(route('/own')))
    const after = changed(manifest, addRoute(route('/zebras')))
    const merged = mergeManifest(own, { before: manifest, after })
    expect(merged.dimensions.routes.entries.map(({ path }) => path)).toEqual(
      expect.arrayContaining(['/own', '/zebras']),
    )
  })

  it('adds one column to a resource with another unreviewed change', () => {
    const before = changed(manifest, (one) => {
      user(one).input.unshift('alias')
      user(one).roles.by_rule['canShow'] = ['unreviewed']
    })
    const after = changed(before, (one) => user(one).input.push('zip'))
    const merged = mergeManifest(manifest, { before, after })
    expect(user(merged)).toEqual({ ...user(manifest), input: [...user(manifest).input, 'zip'] })
  })

  it('keeps the reviewed value if the same value has an unreviewed change', () => {
    const before = changed(manifest, (one) => (user(one).roles.by_rule['canShow'] = ['unreviewed']))
    const after = changed(manifest, (one) => (user(one).roles.by_rule['canShow'] = ['another']))
    expect(mergeManifest(manifest, { before, after })).toEqual(manifest)
    const [old, now] = [['a'], ['b']].map((guards) => changed(manifest, addRoute(route('/own', { guards }))))
    expect(mergeManifest(manifest, { before: old as Manifest, after: now as Manifest })).toEqual(manifest)
  })

  it('counts equal entries', () => {
    const use = { file: 'app/a.ts', repository: 'users', why: 'seed' }
    const add = (count: number) =>
      changed(manifest, (one) =>
        one.excluded.as_system.uses.unshift(...Array.from({ length: count }, () => use)),
      )
    const merged = mergeManifest(add(1), { before: add(2), after: add(3) })
    expect(merged.excluded.as_system.uses.filter(({ file }) => file === use.file)).toHaveLength(2)
  })
})
