import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { root } from '../test/tools.ts'

const source = join(root, 'app/framework/src')
const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8')
const [, picture = ''] = /subgraph pergola [^\n]*\n(.*?)\n {2}end/s.exec(page) ?? []

/** The labels of modules whose names differ from their folders: `declared[application]`. */
const labels = new Map([...picture.matchAll(/(\w+)\[(\w+)\]/g)].map(([, id = '', label = '']) => [id, label]))
const namesOf = (list: string) =>
  list.split('&').map((name) => labels.get(name.trim().split('[')[0] ?? '') ?? name.trim())
const arrows = picture.split('\n').flatMap((line) => {
  const [from, to] = line.split('-->')
  return from === undefined || to === undefined
    ? []
    : namesOf(from).flatMap((one) => namesOf(to).map((other) => [one, other] as const))
})
const folders = globSync('*/', { cwd: source })
  .map((folder) => folder.replaceAll(/[\\/]/g, ''))
  .toSorted()

describe('the picture of docs/architecture.md', () => {
  it('shows every module of the framework', () => {
    expect([...new Set(arrows.flat())].toSorted()).toEqual(folders)
  })

  it.each(arrows)('has an arrow from %s to %s, which it imports', (from, to) => {
    const files = globSync(`${from}/**/*.ts`, { cwd: source, exclude: ['**/*.test.ts'] })
    const importing = files.filter((file) =>
      readFileSync(join(source, file), 'utf8').includes(
        ` from '${'../'.repeat(file.split(/[\\/]/).length - 1)}${to}/`,
      ),
    )
    expect(importing).not.toEqual([])
  })
})

describe('the table of docs/architecture.md', () => {
  it('describes every module of the framework', () => {
    const [, table = ''] = page.split('| Module')
    const names = [...table.matchAll(/^\| `(\w+)`/gm)].map(([, name = '']) => name)
    expect(names.toSorted()).toEqual(folders)
  })
})
