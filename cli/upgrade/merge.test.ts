import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, it, vi } from 'vitest'
import { mergeTrees } from './merge.ts'
import { treeWith } from '../test-support/test-trees.ts'
import { textOf } from './tree.ts'

type Files = Record<string, string | Buffer>
interface Sides {
  base?: Files
  ours?: Files
  theirs?: Files
  renames?: Record<string, string>
  markers?: boolean
}

const LINES = ['one', 'two', 'three', 'four', 'five'].map((line) => `${line}\n`)
const text = (...changes: [line: number, to: string][]) =>
  LINES.map((line, at) => changes.find(([changed]) => changed === at)?.[1] ?? line).join('')

/** Returns the written text of each outcome by `verb path`. */
async function merge({ base = {}, ours = {}, theirs = {}, renames = {}, markers = false }: Sides) {
  const outcomes = await mergeTrees({
    base: treeWith(base),
    ours: treeWith(ours),
    theirs: treeWith(theirs),
    renames: new Map(Object.entries(renames)),
    markers,
  })
  const texts = outcomes.map(({ verb, path, after }) => [`${verb} ${path}`, after && textOf(after)])
  return { outcomes, texts: Object.fromEntries(texts) as Record<string, string | null> }
}

describe('mergeTrees', () => {
  it('replaces, adds and removes unedited files, and omits the application’s own files', async () => {
    const { texts } = await merge({
      base: { 'a.ts': 'a\n', 'gone.ts': 'g\n', 'same.ts': 's\n' },
      ours: { 'a.ts': 'a\n', 'gone.ts': 'g\n', 'same.ts': 's\n', 'app/mine.ts': 'm\n' },
      theirs: { 'a.ts': 'b\n', 'same.ts': 's\n', 'new.ts': 'n\n' },
    })
    expect(texts).toEqual({ 'replace a.ts': 'b\n', 'remove gone.ts': null, 'add new.ts': 'n\n' })
  })

  it('ignores line endings, and keeps an edit of a file that upstream did not change', async () => {
    const { texts } = await merge({
      base: { 'a.ts': text(), 'b.ts': text() },
      ours: { 'a.ts': text().replaceAll('\n', '\r\n'), 'b.ts': text([0, 'mine\n']) },
      theirs: { 'a.ts': text([1, 'new\n']), 'b.ts': text() },
    })
    expect(texts).toEqual({ 'replace a.ts': text([1, 'new\n']) })
  })

  it('merges a file that both sides edited', async () => {
    const { texts } = await merge({
      base: { 'a.eta': text() },
      ours: { 'a.eta': text([0, 'mine\n']) },
      theirs: { 'a.eta': text([4, 'new\n']) },
    })
    expect(texts).toEqual({ 'merge a.eta': text([0, 'mine\n'], [4, 'new\n']) })
  })

  it('moves an edited file with its edits', async () => {
    const { outcomes, texts } = await merge({
      base: { 'old/a.ts': text(), 'old/b.ts': text() },
      ours: { 'old/a.ts': text([0, 'mine\n']), 'old/b.ts': text() },
      theirs: { 'src/a.ts': text([4, 'new\n']), 'src/b.ts': text() },
      renames: { 'old/a.ts': 'src/a.ts', 'old/b.ts': 'src/b.ts' },
    })
    expect(texts).toEqual({
      'remove old/a.ts': null,
      'remove old/b.ts': null,
      'merge src/a.ts': text([0, 'mine\n'], [4, 'new\n']),
      'move src/b.ts': text(),
    })
    expect(outcomes.find(({ path }) => path === 'src/a.ts')).toMatchObject({ movedFrom: 'old/a.ts' })
  })

  it('keeps an edited partial that moves to the framework', async () => {
    const [partial, taken] = ['views/partials/a.eta', 'app/framework/views/partials/a.eta']
    const sides = { base: { [partial]: text() }, theirs: { [taken]: text([4, 'new\n']) } }
    const renames = { [partial]: taken }
    expect((await merge({ ...sides, ours: { [partial]: text([0, 'mine\n']) }, renames })).texts).toEqual({
      [`merge ${partial}`]: text([0, 'mine\n'], [4, 'new\n']),
      [`add ${taken}`]: text([4, 'new\n']),
    })
    expect((await merge({ ...sides, ours: { [partial]: text() }, renames })).texts).toEqual({
      [`remove ${partial}`]: null,
      [`move ${taken}`]: text([4, 'new\n']),
    })
  })

  it('does not add a deleted file again if upstream changes or moves it', async () => {
    const { texts } = await merge({
      base: { 'a.ts': text(), 'b.ts': text(), 'keep.ts': 'k' },
      ours: { 'keep.ts': 'k' },
      theirs: { 'a.ts': text([0, 'new\n']), 'c.ts': text(), 'keep.ts': 'k' },
      renames: { 'b.ts': 'c.ts' },
    })
    expect(texts).toEqual({})
  })

  it('adds no files to a deleted folder or a removed resource', async () => {
    const { texts } = await merge({
      base: { 'app/posts/scaffold.json': '{}', 'docs/a.md': 'a', 'app/x.ts': 'x' },
      ours: { 'app/x.ts': 'x' },
      theirs: {
        'app/posts/scaffold.json': '{"files":{"e2e/posts.spec.ts":"1"}}',
        'app/posts/companions.json': '{"files":["app/db/migrations/1_posts_count.ts"]}',
        'app/posts/new.ts': 'n',
        'app/db/migrations/1_posts_count.ts': 'm',
        'app/db/migrations/2_other.ts': 'o',
        'views/posts/new.eta': 'n',
        'e2e/posts.spec.ts': 't',
        'docs/b.md': 'b',
        'app/x.ts': 'x',
      },
    })
    expect(texts).toEqual({ 'add app/db/migrations/2_other.ts': 'o' })
  })

  it('ignores upstream changes in sections about a removed resource', async () => {
    const page = (one: string, two: string) =>
      `# Guide\n\n<!-- posts -->\n\n${one}\n\n<!-- /posts -->\n\n${two}\n`
    const sample = { 'app/posts/scaffold.json': '{}' }
    const { outcomes, texts } = await merge({
      base: { ...sample, 'README.md': page('Posts.', 'Start.'), 'docs/a.md': page('Posts.', 'End.') },
      ours: {
        'README.md': '# Mine\n\nStart.\n',
        'docs/a.md': '# Guide\n\nEnd.\n',
        'docs/b.md': page('Mine.', 'a'),
      },
      theirs: {
        ...sample,
        'README.md': page('New posts.', 'New start.'),
        'docs/a.md': page('New posts.', 'End.'),
        'docs/c.md': page('Posts.', 'New page.'),
      },
    })
    expect(texts).toEqual({
      'merge README.md': '# Mine\n\nNew start.\n',
      'add docs/c.md': '# Guide\n\nNew page.\n',
    })
    expect(outcomes.filter(({ decision }) => decision !== undefined)).toEqual([])
  })

  it('keeps an edited file that upstream removes, as a conflict', async () => {
    const { outcomes } = await merge({ base: { 'a.ts': 'a' }, ours: { 'a.ts': 'mine' } })
    expect(outcomes).toMatchObject([{ path: 'a.ts', verb: 'keep' }])
    expect(outcomes[0]?.decision).toContain('the new version removes this file')
  })

  it('keeps the application’s lines in a conflict, merges the rest, and writes a .conflict file', async () => {
    const sides = {
      base: { 'a.ts': text() },
      ours: { 'a.ts': text([0, 'mine\n']) },
      theirs: { 'a.ts': text([0, 'theirs\n'], [4, 'new\n']) },
    }
    const { outcomes, texts } = await merge(sides)
    expect(texts).toEqual({ 'merge a.ts': text([0, 'mine\n'], [4, 'new\n']) })
    expect(outcomes[0]?.decision).toContain('a.ts.conflict')
    const marked =
      '<<<<<<< yours\nmine\n||||||| the old version\none\n=======\ntheirs\n>>>>>>> the new version\n'
    expect(outcomes[0]?.beside?.blob.bytes.toString()).toContain(marked)
    const withMarkers = await merge({ ...sides, markers: true })
    expect(withMarkers.texts['merge a.ts']).toContain(marked)
    expect(withMarkers.outcomes[0]).toMatchObject({ decision: expect.stringContaining('markers') })
  })

  it('throws if git can’t merge', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'pergola-git-'))
    writeFileSync(join(bin, 'git'), '#!/bin/sh\necho broken >&2\nexit 255\n', { mode: 0o755 })
    vi.stubEnv('PATH', [bin, process.env['PATH']].join(delimiter))
    try {
      const [base, ours, theirs] = ['one\n', 'two\n', 'three\n'].map((text) => ({ 'a.ts': text }))
      const merged = merge({ base: base ?? {}, ours: ours ?? {}, theirs: theirs ?? {} })
      await expect(merged).rejects.toThrow('git merge-file failed: broken')
    } finally {
      vi.unstubAllEnvs()
      rmSync(bin, { recursive: true })
    }
  })

  it('merges import lines as a set', async () => {
    const [a, b, own] = ['a', 'b', 'own'].map((name) => `import { ${name} } from './${name}.ts'\n`)
    const { outcomes, texts } = await merge({
      base: { 'a.ts': `${a}${b}rest\n` },
      ours: { 'a.ts': `${a}${b}${own}rest\n` },
      theirs: { 'a.ts': `${a}rest\n` },
    })
    expect(texts).toEqual({ 'merge a.ts': `${a}${own}rest\n` })
    expect(outcomes[0]?.decision).toBeUndefined()
  })

  it('keeps both versions of a binary file that both sides changed or added', async () => {
    const [old, own, fresh] = [1, 2, 3].map((byte) => Buffer.from([0, byte]))
    const { outcomes } = await merge({
      base: { 'a.png': old as Buffer },
      ours: { 'a.png': own as Buffer, 'b.ts': 'mine\n' },
      theirs: { 'a.png': fresh as Buffer, 'b.ts': 'theirs\n' },
    })
    expect(outcomes).toMatchObject([
      { path: 'a.png', verb: 'keep', beside: { path: 'a.png.theirs', blob: { bytes: fresh } } },
      { path: 'b.ts', beside: { path: 'b.ts.conflict' } },
    ])
    expect(outcomes.map(({ after }) => after?.bytes)).toEqual([own, Buffer.from('mine\n')])
  })

  it('merges JSON by key, and JSON with comments by line', async () => {
    const { texts } = await merge({
      base: { 'a.json': '{"a": 1,"b": 1}', 't.json': `{\n// x\n${text()}}` },
      ours: { 'a.json': '{"a": 2,"b": 1}', 't.json': `{\n// y\n${text()}}` },
      theirs: { 'a.json': '{"a": 1,"b": 2}', 't.json': `{\n// x\n${text([4, 'new\n'])}}` },
    })
    expect(texts).toEqual({
      'merge a.json': '{\n  "a": 2,\n  "b": 2\n}\n',
      'merge t.json': `{\n// y\n${text([4, 'new\n'])}}`,
    })
  })
})
