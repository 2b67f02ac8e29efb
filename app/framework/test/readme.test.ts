import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, describe, expect, it } from 'vitest'
import { TestClient, testDatabase } from 'pergola/testing'

const folder = join(import.meta.dirname, 'readme')
const read = (path: string) => readFileSync(join(folder, path), 'utf8')
const readme = readFileSync(join(import.meta.dirname, '../README.md'), 'utf8')

describe('the application in README.md', async () => {
  const { db, url } = await testDatabase()
  const server = spawn(process.execPath, [join(folder, 'app.ts')], {
    env: { ...process.env, NODE_ENV: 'development', DATABASE_URL: url, PORT: '0' },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  afterAll(() => void server.kill('SIGKILL'))
  const [line] = (await once(server.stdout, 'data')) as [Buffer]
  const client = new TestClient(new URL(line.toString().trim()).origin)

  it.each(['app.ts', 'views/books/index.eta'])('is identical to the tested file %s', (path) => {
    expect(readme).toContain(`\n${read(path)}\`\`\`\n`)
  })

  it('lists the published books as a page and as JSON', async () => {
    await sql`insert into books (title, published)
      select 'Book ' || n, n <> 3 from generate_series(1, 25) as n`.execute(db)
    const page = await client.get('/books?size=10&sort=title&dir=asc')
    expect(page.status).toBe(200)
    expect(page.text).toContain('<h1>Library</h1>')
    expect(page.text).toContain('page=2')
    const list = (await client.get('/api/books')).json()
    expect(list).toMatchObject({ total_elements: 24, page: 1, has_next: true })
    expect((await client.get('/api/books/1')).json()).toMatchObject({ title: 'Book 1' })
  })

  it('returns 404 or 401 for actions that its policy denies', async () => {
    expect((await client.get('/api/books/3')).status).toBe(404)
    expect((await client.post('/api/books', { json: { title: 'New', published: true } })).status).toBe(401)
    expect((await client.get('/nothing')).status).toBe(404)
  })
})

describe('“Where to find the code” in README.md', () => {
  it('names only files that exist', () => {
    const [, section = ''] = /^## Where to find the code$(.*?)^## /ms.exec(readme) ?? []
    const names = [...section.matchAll(/`([\w./-]+\.ts)`/g)].map(([, name = '']) => name)
    const files = globSync('**/*.ts', { cwd: join(import.meta.dirname, '..') }).map((file) => `/${file}`)
    expect(names.length).toBeGreaterThan(0)
    expect(names.filter((name) => !files.some((file) => file.endsWith(`/${name}`)))).toEqual([])
  })
})
