import { describe, expect, it } from 'vitest'
import { withoutResource, withResource } from '../../scaffold/project/resource-list.ts'
import { namesOf } from '../../scaffold/read/names.ts'
import { mergedResourceList } from './merge-resource-list.ts'

const list = `import type { DeclaredResource } from 'pergola'
import { postRoutes } from './posts/post.controller.ts'
import { posts } from './posts/post.repository.ts'

/** Every resource. */
export const resources: readonly DeclaredResource[] = [
  { repository: posts, routes: { postRoutes } },
]
`

describe('mergedResourceList', () => {
  const entry = '  { repository: posts, routes: { postRoutes } },\n'
  const theirs = list
    .replace('import { posts }', "import { feedRoutes } from './posts/feed.ts'\nimport { posts }")
    .replace(entry, '  {\n    repository: posts,\n    routes: { postRoutes, feedRoutes },\n  },\n')

  it('adds the application’s resources to the new list', () => {
    const [book, tree] = [namesOf('book'), namesOf('tree')]
    const ours = withResource(withResource(list, book), tree)
    expect(mergedResourceList({ base: list, ours, theirs })).toBe(
      withResource(withResource(theirs, book), tree),
    )
  })

  it('does not add a removed resource or its new imports again', () => {
    const ours = withoutResource(withResource(list, namesOf('book')), namesOf('post'))
    expect(mergedResourceList({ base: list, ours, theirs })).toBe(ours)
  })

  it('returns null if both sides changed the same entry, or if a list has another structure', () => {
    const ours = list.replace('routes: { postRoutes }', 'routes: { postRoutes }, nav: null')
    expect(mergedResourceList({ base: list, ours, theirs })).toBeNull()
    expect(mergedResourceList({ base: list, ours: 'export {}\n', theirs })).toBeNull()
  })
})
