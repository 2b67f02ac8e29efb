import { execFile } from 'node:child_process'
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { testProject } from '../test-support/test-project.ts'

const project = await testProject()
const before = project.files()

interface Ended {
  code: number
  stdout: string
  stderr: string
}

/** Runs `cli` in the copy, as a user does. */
const cli = (...words: string[]) => node(join(project.root, 'cli/bin.js'), ...words)

function node(...words: string[]): Promise<Ended> {
  const env = { PATH: process.env['PATH'] ?? '', NODE_ENV: 'test', DATABASE_URL: project.url }
  return new Promise((resolve) => {
    execFile(process.execPath, words, { cwd: project.root, env }, (error, stdout, stderr) =>
      resolve({ code: Number(error?.code ?? 0), stdout, stderr }),
    )
  })
}

describe('cli scaffold', () => {
  it('rejects a hostile name and invalid fields with suggestions, and writes nothing', async () => {
    const { code, stdout, stderr } = await cli('scaffold', '../../etc', 'published:boolen')
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain('  ../../etc\n  ^\n')
    expect(stderr).toContain(
      '  published:boolen\n            ^^^^^^\nUnknown type boolen. Did you mean boolean?',
    )
    expect(stderr).toMatch(/No files were written\.\n$/)
    expect(project.files()).toEqual(before)
  })

  it('prints the problems as JSON', async () => {
    const { code, stdout } = await cli('scaffold', 'user', 'title:strin', '--json')
    expect(code).toBe(2)
    expect(JSON.parse(stdout)).toMatchObject({
      problems: [
        { token: 'user', at: 0 },
        { token: 'title:strin', at: 6, length: 5 },
      ],
    })
  })

  it('adds no fields to another resource with the same plural without an answer', async () => {
    const folder = join(project.root, 'app/news')
    mkdirSync(folder)
    const record = { version: 1, command: ['new', 'title'], plural: 'news', files: {} }
    writeFileSync(join(folder, 'scaffold.json'), JSON.stringify(record))
    const { code, stderr } = await cli('scaffold', 'news', 'summary', '--no-migrate')
    rmSync(folder, { recursive: true })
    expect([code, project.files()]).toEqual([4, before])
    expect(stderr).toContain(
      'news is the plural of New, with the table news. To add fields to it, use the name new.',
    )
  })

  it('prints a diff without writing files', async () => {
    const { code, stdout } = await cli('scaffold', 'author', 'name', '--diff')
    expect(code).toBe(0)
    expect(stdout).toContain('+++ b/app/authors/author.ts')
    expect(stdout).toContain(
      "+  { repository: authors, routes: { authorRoutes }, nav: 'Authors', seed: seedAuthors },",
    )
    expect(project.files()).toEqual(before)
  })

  it('creates two related resources, extends one, and destroys both', async () => {
    const author = await cli('scaffold', 'author', 'name')
    expect(author).toMatchObject({ code: 0, stderr: '' })
    expect(author.stdout).toMatch(
      /^author -> table authors · \/authors · label name · owner none\n {2}create {2}app\/authors/,
    )
    expect(author.stdout).toMatch(
      /\n migrate {2}\d{14}_create_authors +\d+ ms\nNext\n {2}edit .*\n {2}test .*\n {2}undo {2}npx cli destroy author\n {2}open {2}http:\/\/localhost:\d+\/authors/,
    )

    expect(author.stdout).toContain('  undo  npx cli destroy author')
    expect((await cli('scaffold', 'author', 'name')).stdout).not.toContain('undo')

    const book = await cli('scaffold', 'book', 'title', 'writer:references:author', '--json')
    expect(book).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(book.stdout)).toMatchObject({
      names: { table: 'books' },
      model: { label: 'title', fields: [{}, { column: 'writer_id', references: 'authors' }] },
      migration: { migrated: true },
      warnings: [],
    })

    const needed = await cli('destroy', 'author')
    expect(needed.code).toBe(3)
    expect(needed.stderr).toContain('Other code depends on Author:\n  the resource Book\n  app/books/book')

    const typeFile = join(project.root, 'app/books/book.ts')
    writeFileSync(typeFile, readFileSync(typeFile, 'utf8').replace('sort: [', 'sort: [/* Mine. */ '))
    appendFileSync(join(project.root, 'views/books/index.eta'), '<!-- Mine. -->\n')
    appendFileSync(join(project.root, 'app/books/book.policy.ts'), '// Mine.\n')
    const grown = await cli('scaffold', 'book', 'pages:integer:null')
    expect(grown.code).toBe(3)
    expect(grown.stdout).toContain('--- a/app/books/book.ts')
    expect(grown.stdout).toContain("+  sort: ['title', 'pages', 'created_at'],")
    expect(grown.stdout.match(/^\+.*Mine/m)).toBeNull()
    expect(grown.stdout).not.toContain('undo')
    expect(grown.stdout).toContain('    keep  app/books/book.ts')
    expect(grown.stdout).toContain('   leave  app/books/book.policy.ts')
    expect(grown.stdout).toMatch(/ {3}merge {2}views\/books\/index\.eta +\+\d+ -\d+\n/)
    expect(grown.stdout).toContain('  edit  app/books/book.ts  (you edited these lines: add what the diff')

    const kept = await cli('destroy', 'book')
    expect(kept.code).toBe(3)
    expect(kept.stdout).toContain('keep or delete  app/books/book.ts')
    expect((await cli('destroy', 'book', '--force')).code).toBe(0)
    expect((await cli('destroy', 'author')).code).toBe(0)
    expect(project.files()).toEqual(before)
  })

  it('prints help without a database', async () => {
    const { code, stdout } = await cli('scaffold', '--help')
    expect(code).toBe(0)
    expect(stdout).toContain('enum:a,b')
    expect(stdout).toContain('npx cli scaffold post summary:text:null')
  })

  // The last test: it leaves both resources in the copy.
  it('lets two resources refer to each other, whichever is imported first', async () => {
    const commands = [
      ['album', 'title'],
      ['photo', 'title', 'album:references'],
      // The album refers back.
      ['album', 'cover:references:photo?'],
    ]
    for (const words of commands) expect(await cli('scaffold', ...words)).toMatchObject({ code: 0 })
    const album = readFileSync(join(project.root, 'app/albums/album.ts'), 'utf8')
    expect(album).toContain("references: { cover_id: 'photos' }")
    expect(album).not.toContain('photo.ts')
    expect((await cli('scaffold', ...(commands[2] ?? []))).stdout).not.toMatch(/^\s*(?:create|change)/m)
    for (const file of ['albums/album.repository.ts', 'photos/photo.repository.ts', 'resources.ts']) {
      const words = ['--input-type=module', '--eval', `await import('./app/${file}')`]
      expect(await node(...words)).toMatchObject({ code: 0 })
    }
    expect(await cli('routes', 'audit', '--check')).toMatchObject({ code: 0 })
  })
})
