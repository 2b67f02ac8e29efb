import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Files, UpgradeFixture } from '../test-support/upgrade-fixture.ts'

const fixture = new UpgradeFixture()
afterAll(() => fixture.remove())
const plan = fixture.plan.bind(fixture)

const crlf = (text: string) => text.replaceAll('\n', '\r\n')

/** Returns a function for texts of five lines, which resemble no text of another topic. */
const textsAbout =
  (topic: string) =>
  (...changes: [line: number, to: string][]) =>
    [0, 1, 2, 3, 4]
      .map((line) => changes.find(([changed]) => changed === line)?.[1] ?? `${topic} ${topic} ${line}\n`)
      .join('')

interface Sides {
  readonly base?: Files
  readonly ours?: Files
  readonly theirs?: Files
}

// Most tests are about other files of one plan, because each plan starts many processes.
const all = { base: {}, ours: {}, theirs: {} } satisfies Sides
let planned: Awaited<ReturnType<typeof plan>>
beforeAll(async () => void (planned = await plan(all)))

/** Adds files to the common plan. Returns a function for their outcomes, and their texts by `verb path`. */
function inCommonPlan({ base = {}, ours = {}, theirs = {} }: Sides) {
  for (const [side, files] of Object.entries({ base, ours, theirs }))
    Object.assign(all[side as keyof typeof all], files)
  const own = new Set([base, ours, theirs].flatMap((files) => Object.keys(files)))
  return () => ({
    outcomes: planned.outcomes.filter(({ path }) => own.has(path)),
    texts: Object.fromEntries(
      Object.entries(planned.texts).filter(([key]) => own.has(key.replace(/^\w+ /, ''))),
    ),
  })
}

describe('planUpgrade', () => {
  it('compares an application of `cli new` with versions that have its names', async () => {
    const list = (...paths: string[]) => JSON.stringify({ paths, except: [], keys: {}, texts: {} })
    const lock = (lines: object, own: object = {}) =>
      `${JSON.stringify({ ...own, packages: { '': own, ...lines } }, null, 2)}\n`
    const application = { name: 'desk', title: 'Desk' }
    const { texts } = await plan({
      base: {
        'cli/application/development.json': list('a.md', 'b.md'),
        'a.md': 'a\n',
        'b.md': 'b\n',
        'docker-compose.yml': 'user: pergola\nimage: 1\n',
        'package-lock.json': lock({}, { name: 'pergola', version: '1' }),
      },
      ours: {
        'package.json': JSON.stringify({ pergola: { application } }),
        'cli/application/development.json': list('a.md', 'b.md'),
        'docker-compose.yml': 'user: desk\nimage: 1\n',
        'package-lock.json': lock({}, { name: 'desk', version: '0.1.0' }),
      },
      theirs: {
        'cli/application/development.json': list('b.md', 'c.md'),
        'a.md': 'a\n',
        'b.md': 'new\n',
        'c.md': 'c\n',
        'docker-compose.yml': 'user: pergola\nimage: 2\n',
        'package-lock.json': lock({ x: {} }, { name: 'pergola', version: '1' }),
      },
    })
    expect(texts).toMatchObject({
      'replace docker-compose.yml': 'user: desk\nimage: 2\n',
      'replace package-lock.json': lock({ x: {} }, { name: 'desk', version: '0.1.0' }),
      'add a.md': 'a\n',
    })
    expect(Object.keys(texts).join()).not.toMatch(/[bc]\.md/)
  })

  const plain = inCommonPlan({
    base: { 'a.ts': 'a\n', 'gone.ts': 'g\n', 'same.ts': 's\n' },
    ours: { 'a.ts': 'a\n', 'gone.ts': 'g\n', 'same.ts': 's\n', 'app/mine.ts': 'm\n' },
    theirs: { 'a.ts': 'b\n', 'same.ts': 's\n', 'new.ts': 'n\n' },
  })
  it('replaces, adds and removes unedited files, and omits the application’s own files', () => {
    expect(plain().texts).toEqual({ 'replace a.ts': 'b\n', 'remove gone.ts': null, 'add new.ts': 'n\n' })
    expect(planned.paths).toContain('app/mine.ts')
  })

  const ends = textsAbout('ends')
  const lineEnds = inCommonPlan({
    base: { 'ends/a.ts': ends(), 'ends/b.ts': ends(), 'ends/gone.ts': ends() },
    ours: { 'ends/a.ts': crlf(ends()), 'ends/b.ts': ends([0, 'mine\n']), 'ends/gone.ts': crlf(ends()) },
    theirs: { 'ends/a.ts': ends([1, 'new\n']), 'ends/b.ts': ends() },
  })
  it('keeps line endings, and an edit of a file that upstream did not change', () => {
    expect(lineEnds().texts).toEqual({
      'merge ends/a.ts': crlf(ends([1, 'new\n'])),
      'remove ends/gone.ts': null,
    })
  })

  const view = textsAbout('view')
  const edits = inCommonPlan({
    base: { 'a.eta': view(), 'b.eta': view() },
    ours: { 'a.eta': view([0, 'mine\n']), 'b.eta': view([1, 'mine\n']) },
    theirs: { 'a.eta': view([4, 'new\n']), 'b.eta': view([2, 'new\n']) },
  })
  it('merges a file that both sides edited, also on adjacent lines', () => {
    expect(edits().texts).toEqual({
      'merge a.eta': view([0, 'mine\n'], [4, 'new\n']),
      'merge b.eta': view([1, 'mine\n'], [2, 'new\n']),
    })
  })

  const [move, whole] = [textsAbout('move'), textsAbout('whole')]
  const moves = inCommonPlan({
    base: { 'old/a.ts': move(), 'old/b.ts': whole() },
    ours: { 'old/a.ts': move([0, 'mine\n']), 'old/b.ts': whole(), 'old/mine.ts': 'mine\n' },
    theirs: { 'src/a.ts': move([4, 'new\n']), 'src/b.ts': whole() },
  })
  it('moves an edited file with its edits, and no file of the application from the old folder', () => {
    expect(moves().texts).toEqual({
      'merge src/a.ts': move([0, 'mine\n'], [4, 'new\n']),
      'move src/b.ts': whole(),
    })
    expect(moves().outcomes[0]).toMatchObject({ movedFrom: 'old/a.ts' })
    expect(planned.paths).toContain('old/mine.ts')
  })

  const sample = textsAbout('sample')
  const resembling = inCommonPlan({
    base: { 'app/posts/post.ts': sample() },
    ours: { 'app/books/book.ts': sample([0, 'mine\n']) },
    theirs: { 'app/posts/post.ts': sample([4, 'new\n']) },
  })
  it('merges nothing into a file of the application that resembles a deleted one', () => {
    expect(resembling().texts).toEqual({})
  })

  const taken = textsAbout('taken')
  const occupied = inCommonPlan({
    base: { 'taken/a.ts': taken() },
    ours: { 'taken/a.ts': taken([0, 'mine\n']), 'taken/b.ts': 'mine\n' },
    theirs: { 'taken/b.ts': taken([4, 'new\n']) },
  })
  it('keeps a file at the new path of an edited file', () => {
    expect(occupied().outcomes).toMatchObject([
      { path: 'taken/a.ts', verb: 'keep', decision: expect.stringContaining('removes this file') },
      { path: 'taken/b.ts', verb: 'keep', decision: expect.stringContaining('yours were kept') },
    ])
  })

  const [edited, unedited] = ['views/partials/a.eta', 'views/partials/b.eta'] as const
  const [own, other] = [textsAbout('own'), textsAbout('other')]
  const partials = inCommonPlan({
    base: { [edited]: own(), [unedited]: other() },
    ours: { [edited]: own([0, 'mine\n']), [unedited]: other() },
    theirs: {
      [`app/framework/${edited}`]: own([4, 'new\n']),
      [`app/framework/${unedited}`]: other([4, 'new\n']),
    },
  })
  it('keeps an edited partial that moves to the framework', () => {
    expect(partials().texts).toEqual({
      [`merge ${edited}`]: own([0, 'mine\n'], [4, 'new\n']),
      [`add app/framework/${edited}`]: own([4, 'new\n']),
      [`move app/framework/${unedited}`]: other([4, 'new\n']),
    })
  })

  const [lost, moved] = [textsAbout('lost'), textsAbout('moved')]
  const deleted = inCommonPlan({
    base: { 'lost/a.ts': lost(), 'lost/b.ts': moved(), 'lost/keep.ts': 'k' },
    ours: { 'lost/keep.ts': 'k' },
    theirs: { 'lost/a.ts': lost([0, 'new\n']), 'lost/c.ts': moved(), 'lost/keep.ts': 'k' },
  })
  it('does not add a deleted file again if upstream changes or moves it', () => {
    expect(deleted().texts).toEqual({})
  })

  const removed = inCommonPlan({ base: { 'removed.ts': 'a' }, ours: { 'removed.ts': 'mine' } })
  it('keeps an edited file that upstream removes, as a conflict', () => {
    expect(removed().outcomes).toMatchObject([{ path: 'removed.ts', verb: 'keep' }])
    expect(removed().outcomes[0]?.decision).toContain('the new version removes this file')
  })

  const line = textsAbout('line')
  const conflicting = {
    base: { 'c.ts': line() },
    ours: { 'c.ts': line([0, 'mine\n']) },
    theirs: { 'c.ts': line([0, 'theirs\n'], [4, 'new\n']) },
  }
  const conflict = inCommonPlan(conflicting)
  it('keeps the application’s lines in a conflict, merges the rest, and writes a .conflict file', async () => {
    expect(conflict().texts).toEqual({ 'merge c.ts': line([0, 'mine\n'], [4, 'new\n']) })
    expect(conflict().outcomes[0]?.decision).toContain('c.ts.conflict')
    const marked =
      '<<<<<<< yours\nmine\n||||||| the old version\nline line 0\n=======\ntheirs\n>>>>>>> the new version\n'
    expect(planned.changed.get('c.ts.conflict')).toContain(marked)
    const { texts, outcomes } = await plan({ ...conflicting, markers: true })
    expect(texts['merge c.ts']).toContain(marked)
    expect(outcomes[0]).toMatchObject({ decision: expect.stringContaining('markers') })
  })

  const code = (first: string, last: string) =>
    `const a: string = '${first}'\nconst unchanged = 'a line of both'\nconst c = 3\nconst d = 4\n${last}\n`
  const twice = inCommonPlan({
    base: { 'twice.ts': code('old', 'const e = 5') },
    ours: { 'twice.ts': code('mine', 'const e = 5').replace('const c', 'const same = 8\nconst c') },
    theirs: { 'twice.ts': code('theirs', 'const e = 5\nconst same = 8') },
  })
  const beside = inCommonPlan({
    base: { 'beside.ts': code('same', 'const e = 5') },
    ours: { 'beside.ts': code('same', 'const e = 7\nconst same = 8') },
    theirs: {
      'beside.ts': code('same', 'const e = 5').replace('const d = 4', 'const d = 9\nconst same = 8'),
    },
  })
  const apart = inCommonPlan({
    base: { 'apart.ts': code('same', 'const e = 5') },
    ours: { 'apart.ts': `const same = 8\n${code('same', 'const e = 5')}` },
    theirs: { 'apart.ts': `${code('same', 'const e = 5')}const same = 8\n` },
  })
  it('keeps the whole file of the application if both changes together declare a name twice', () => {
    // Git merges these two without a conflict.
    expect(apart().texts).toEqual({ 'keep apart.ts': null })
    expect(twice().texts).toEqual({ 'keep twice.ts': null })
    expect(twice().outcomes[0]?.decision).toContain('your whole file was kept')
    expect(planned.changed.get('twice.ts.conflict')).toContain(`=======\nconst a: string = 'theirs'`)
    // Git reports a conflict of adjacent lines, which are merged here.
    expect(beside().texts).toEqual({ 'keep beside.ts': null })
    expect(planned.changed.get('beside.ts.conflict')).toMatch(
      /^<<<<<<< yours\n[^]*^>>>>>>> the new version\n$/m,
    )
  })

  const [readme, ownReadme] = [textsAbout('a longer text'), textsAbout('the own product')]
  const replaced = inCommonPlan({
    base: { 'NOTES.md': readme(), 'GONE.md': readme(), 'KEPT.md': readme() },
    ours: {
      'NOTES.md': ownReadme(),
      'GONE.md': ownReadme(),
      'KEPT.md': ownReadme([4, 'a longer text a longer text 4\n']),
    },
    theirs: { 'NOTES.md': readme([0, 'new\n']), 'KEPT.md': readme([0, 'new\n']) },
  })
  it('keeps a file whose text the application replaced, without a conflict', () => {
    expect(replaced().outcomes.map(({ path, decision }) => [path, decision !== undefined])).toEqual([
      ['KEPT.md', true],
    ])
  })

  const short = inCommonPlan({
    base: { 'short.ts': "export const ROLES = ['admin'] as const\n\n\nconst a = 1\n" },
    ours: { 'short.ts': "export const ROLES = ['admin', 'editor'] as const\n\n\nconst a = 1\n" },
    theirs: { 'short.ts': "export const ROLES = ['admin'] as const\n\n\nconst a = 1\nexport const x = 2\n" },
  })
  it('merges a short file whose only long line the application changed', () => {
    expect(short().texts['merge short.ts']).toContain(
      "'editor'] as const\n\n\nconst a = 1\nexport const x = 2",
    )
  })

  const [a, b, fresh] = ['a', 'b', 'own'].map((name) => `import { ${name} } from './${name}.ts'\n`)
  const imports = inCommonPlan({
    base: { 'imports.ts': `${a}${b}rest\n` },
    ours: { 'imports.ts': `${a}${b}${fresh}rest\n` },
    theirs: { 'imports.ts': `${a}rest\n` },
  })
  it('merges import lines as a set', () => {
    expect(imports().texts).toEqual({ 'merge imports.ts': `${a}${fresh}rest\n` })
    expect(imports().outcomes[0]?.decision).toBeUndefined()
  })

  const list = (...names: string[]) =>
    [
      ...names.map((name) => `import { ${name} } from './${name}/${name}.repository.ts'\n`),
      'export const resources = [\n',
      ...names.map((name) => `  { repository: ${name} },\n`),
      ']\n',
    ].join('')
  const path = 'app/resources.ts'
  const entries = inCommonPlan({
    base: { [path]: list('posts') },
    ours: { [path]: list('books', 'posts') },
    theirs: { [path]: list('events') },
  })
  it('merges the entries of the list of resources', () => {
    expect(entries().texts).toEqual({ [`merge ${path}`]: list('books', 'events') })
  })

  const binary = inCommonPlan({
    base: { 'a.png': '\0a' },
    ours: { 'a.png': '\0b', 'both.ts': 'mine\n' },
    theirs: { 'a.png': '\0c', 'both.ts': 'theirs\n' },
  })
  it('keeps both versions of a binary file that both sides changed, and of a file that both added', () => {
    expect(binary().outcomes).toMatchObject([
      { path: 'a.png', verb: 'keep', decision: expect.stringContaining('a.png.theirs') },
      { path: 'both.ts', verb: 'keep', decision: expect.stringContaining('both.ts.conflict') },
    ])
    const changed = ['a.png', 'a.png.theirs', 'both.ts'].map((path) => planned.changed.get(path))
    expect(changed).toEqual([undefined, '\0c', undefined])
  })

  const MANIFEST = 'security.manifest.json'
  const noted = textsAbout('noted')
  const json = inCommonPlan({
    base: {
      'a.json': '{"a": 1,"b": 1}',
      'key.json': '{"a": 1}',
      [MANIFEST]: '{"a": 1}',
      't.json': `{\n// x\n${noted()}}`,
    },
    ours: {
      'a.json': '{"a": 2,"b": 1}',
      'key.json': '{"a": 2}',
      [MANIFEST]: '{"a": 2}',
      't.json': `{\n// y\n${noted()}}`,
    },
    theirs: {
      'a.json': '{"a": 1,"b": 2}',
      'key.json': '{"a": 3}',
      [MANIFEST]: '{"a": 3}',
      't.json': `{\n// x\n${noted([4, 'new\n'])}}`,
    },
  })
  it('merges JSON by key, and JSON with comments by line', () => {
    expect(json().texts).toMatchObject({
      'merge a.json': '{\n  "a": 2,\n  "b": 2\n}\n',
      'merge t.json': `{\n// y\n${noted([4, 'new\n'])}}`,
    })
    const decisionOf = (path: string) => json().outcomes.find((one) => one.path === path)?.decision
    expect(decisionOf('key.json')).toBe(
      'you and the new version both changed a; your value was kept. Check it.',
    )
    expect(decisionOf(MANIFEST)).toContain('your value was kept. Run `npx cli routes audit --write`')
  })

  it('adds no files to a deleted folder or a removed resource, and no sections about it', async () => {
    const page = (one: string, two: string) =>
      `# Guide\n\n<!-- posts -->\n\n${one}\n\n<!-- /posts -->\n\n${two}\n`
    const { outcomes, texts } = await plan({
      base: {
        'app/posts/scaffold.json': '{}',
        'docs/old/a.md': 'a',
        'README.md': page('Posts.', 'Start.'),
        'docs/a.md': page('Posts.', 'End.'),
      },
      ours: {
        'README.md': '# Mine\n\nStart.\n',
        'docs/a.md': '# Guide\n\nEnd.\n',
        'docs/b.md': page('Mine.', 'a'),
      },
      theirs: {
        'app/posts/scaffold.json': '{"files":{"e2e/posts.spec.ts":"1"}}',
        'app/posts/companions.json': '{"files":["app/db/migrations/1_posts_count.ts"]}',
        'app/posts/new.ts': 'n',
        'app/db/migrations/1_posts_count.ts': 'm',
        'app/db/migrations/2_other.ts': 'o',
        'views/posts/new.eta': 'n',
        'e2e/posts.spec.ts': 't',
        'docs/old/b.md': 'b',
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

  it('throws if git can’t merge', async () => {
    const bin = mkdtempSync(join(tmpdir(), 'pergola-git-'))
    const script = '#!/bin/sh\ncase "$*" in *merge-file*) echo broken >&2; exit 255;; esac\n'
    writeFileSync(join(bin, 'git'), `${script}exec "$REAL_GIT" "$@"\n`, { mode: 0o755 })
    const path = process.env['PATH'] ?? ''
    vi.stubEnv('REAL_GIT', join(fixture.git('--exec-path'), 'git'))
    vi.stubEnv('PATH', [bin, path].join(delimiter))
    try {
      await expect(plan(conflicting)).rejects.toThrow('git merge-file failed: broken')
    } finally {
      vi.unstubAllEnvs()
      rmSync(bin, { recursive: true })
    }
  })

  const lock = (version: string) => ({ 'package-lock.json': `{\n  "version": "${version}"\n}\n` })

  it('replaces the lockfile of an application without packages of its own', async () => {
    const { texts } = await plan({ base: lock('1'), ours: lock('1'), theirs: lock('2') })
    expect(texts).toEqual({ 'replace package-lock.json': lock('2')['package-lock.json'] })
  })

  it('keeps another lockfile, and the format and other keys of package.json', async () => {
    const lines = ['{', '    "name": "mine",', '    "pergola": {', '        "own": 1', '    }', '}', '']
    const { changed } = await plan({
      base: lock('1'),
      ours: { ...lock('own'), 'package.json': lines.join('\r\n') },
      theirs: { ...lock('2'), 'package.json': '{ "version": "2.0.0" }\n' },
    })
    const after = changed.get('package.json') ?? ''
    expect(after).toContain('\r\n    "pergola": {\r\n        "own": 1,\r\n        "version": "2.0.0",\r\n')
    expect(after).not.toMatch(/[^\r]\n/)
    expect([...changed.keys()]).toEqual(['package.json'])
  })

  it('refuses a new file at the path of a folder, a link or an ignored file', async () => {
    const theirs = { 'a/b': 'x\n', 'link/x/y.ts': 'x\n', 'c/d.ts': 'x\n', 'notes.log': 'theirs\n' }
    vi.spyOn(fixture, 'checkOut').mockImplementationOnce((files) => {
      UpgradeFixture.prototype.checkOut.call(fixture, { ...files, '.gitignore': '*.log\n' })
      mkdirSync(join(fixture.app, 'a/b'), { recursive: true })
      symlinkSync(tmpdir(), join(fixture.app, 'link'))
      fixture.write('notes.log', 'mine\n')
    })
    await expect(plan({ theirs })).rejects.toThrow(
      'in the way of new files: a/b, link, notes.log. Rename or remove',
    )
  })
})
