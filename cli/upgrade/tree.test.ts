import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { gitText } from '../project/git.ts'
import { upstreamTree } from './tree.ts'

const store = mkdtempSync(join(tmpdir(), 'pergola-tree-'))
afterAll(() => rmSync(store, { recursive: true, force: true }))
gitText(['init', '--quiet', '--bare', store])

const blob = gitText(['hash-object', '-w', '--stdin'], { cwd: store, input: 'x' })
const treeWith = (name: string, entry = `100644 blob ${blob}`) =>
  gitText(['mktree', '-z'], { cwd: store, input: `${entry}\t${name}\0` })

describe('upstreamTree', () => {
  it.each(['..', '.', '.git', '.GIT', '.git.', 'git~1', '.git::$x', '.data', 'node_modules', 'C:', 'D:x'])(
    'leaves out the files in a folder %s at any depth',
    (name) => {
      const folder = treeWith(name, `040000 tree ${treeWith('file')}`)
      const deep = treeWith('app', `040000 tree ${folder}`)
      expect([folder, deep].map((tree) => [...upstreamTree(store, tree).keys()])).toEqual([[], []])
    },
  )

  it('omits symbolic links', () => {
    expect([...upstreamTree(store, treeWith('link', `120000 blob ${blob}`)).keys()]).toEqual([])
  })

  it('omits a name with a backslash, and reads other names', () => {
    expect([...upstreamTree(store, treeWith('..\\file')).keys()]).toEqual([])
    const names = ['.gitignore', '.github', '...x', 'ab:c.ts', 'my.data']
    for (const name of names) expect([...upstreamTree(store, treeWith(name)).keys()]).toEqual([name])
  })
})
