import { describe, expect, it } from 'vitest'
import { namesOf } from '../read/names.ts'
import { withoutResource, withResource } from './resource-list.ts'

const list = `import type { DeclaredResource } from 'pergola'
import { postRoutes } from './posts/post.controller.ts'
import { posts } from './posts/post.repository.ts'

/** Every resource. */
export const resources: readonly DeclaredResource[] = [
  { repository: posts, routes: { postRoutes } },
]
`

describe('withResource', () => {
  it.each(['blog_post', 'zebra', 'news', 'Post2'])(
    'adds %s in its place, and it goes without a trace',
    (name) => {
      const names = namesOf(name)
      const added = withResource(list, names)
      expect(added.match(/repository: (\w+)/g)).toEqual(
        [`repository: ${names.many}`, 'repository: posts'].toSorted(),
      )
      expect(added.match(/from '(.*)'/g)?.slice(1)).toEqual(
        added
          .match(/from '(.*)'/g)
          ?.slice(1)
          .toSorted(),
      )
      expect(withResource(added, names)).toBe(added)
      expect(withoutResource(added, names)).toBe(list)
    },
  )

  it('wraps a long line as the formatter does', () => {
    const names = namesOf('a_very_long_name_of_a_resource')
    const added = withResource(list, names)
    expect(added).toContain('  {\n    repository: aVeryLongNameOfAResources,\n')
    expect(withoutResource(added, names)).toBe(list)
  })

  it('keeps the line ends', () => {
    const windows = list.replaceAll('\n', '\r\n')
    const added = withResource(windows, namesOf('tree'))
    expect(added).not.toMatch(/[^\r]\n/)
    expect(withoutResource(added, namesOf('tree'))).toBe(windows)
  })

  it('keeps entries with several lines and comments', () => {
    const own = list.replace(
      '  { repository: posts, routes: { postRoutes } },\n',
      '  {\n    repository: posts,\n    // Ours.\n    routes: { postRoutes },\n  },\n',
    )
    expect(withoutResource(withResource(own, namesOf('tree')), namesOf('tree'))).toBe(own)
    expect(withoutResource(own, namesOf('post'))).not.toContain('posts')
  })

  it.each([
    ['no array', list.replace('= [\n', '= make([\n').replace('\n]', '\n])')],
    ['entries of another kind', list.replace('  { repository: posts', '    { repository: posts')],
    ['imports over several lines', list.replace('{ postRoutes }', '{\n  postRoutes,\n}')],
    ['nothing', ''],
  ])('throws with the lines to add: %s', (_, text) => {
    expect(() => withResource(text, namesOf('tree'))).toThrow(
      "import { treeRoutes } from './trees/tree.controller.ts'",
    )
  })
})
