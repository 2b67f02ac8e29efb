import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { checkMails } from 'pergola/mail'
import { spawnServer } from 'pergola/lab'
import { testDatabase } from 'pergola/testing'
import type * as Mails from '#app/mails/mails.ts'
import { mailSettings } from '#app/mails/mail-settings.ts'
import { readConfig } from '#app/config.ts'
import { runCli } from '../../test-support/run-cli.ts'
import { addToList } from './list-file.ts'

const { url: DATABASE_URL } = await testDatabase()
const root = join(import.meta.dirname, '../../..')
const clone = mkdtempSync(join(tmpdir(), 'generate-'))

/** Creates a copy of the project, in which the generators run. */
beforeAll(() => {
  for (const part of [
    'app',
    'cli',
    'views',
    'public',
    'package.json',
    'tsconfig.json',
    'security.manifest.json',
  ])
    cpSync(join(root, part), join(clone, part), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(clone, 'node_modules'))
})
afterAll(() => rmSync(clone, { recursive: true }))

const settings = mailSettings(readConfig({ NODE_ENV: 'test' }))
const generate = (...args: string[]) =>
  runCli(['generate', ...args], { bin: join(clone, 'cli/bin.js'), cwd: join(clone, 'app') })
const read = (path: string) => readFileSync(join(clone, path), 'utf8')
const created = ({ stdout }: { stdout: string }) => /^create +(\S+)$/m.exec(stdout)?.[1] ?? ''
const treeOf = () => globSync('{app,cli}/**/*.ts', { cwd: clone }).toSorted()

describe('cli generate migration', () => {
  it('creates a draft after all existing migrations', async () => {
    const existing = treeOf().filter((file) => file.startsWith('app/db/migrations/'))
    const { code, stdout } = await generate('migration', 'AddSubtitle-to_posts')
    expect([code, stdout]).toEqual([
      0,
      expect.stringMatching(/^create {2}app\/db\/migrations\/\d{14}_add_subtitle_to_posts\.ts\n$/),
    ])
    const path = created({ stdout })
    expect(existing.every((other) => other < path)).toBe(true)
    expect(read(path)).toContain('export async function down')
    const { isDraft, up } = (await import(join(clone, path))) as {
      isDraft: boolean
      up: (db: null) => Promise<void>
    }
    expect(isDraft).toBe(true)
    await expect(up(null)).rejects.toThrow('not written yet')
  })

  it('creates a draft that the development server skips, and that other commands reject', async () => {
    const path = created(await generate('migration', 'add_motto_to_users'))
    const name = path.slice('app/db/migrations/'.length, -'.ts'.length)
    const { url, output } = await spawnServer(join(clone, 'app/server.ts'), {
      NODE_ENV: 'development',
      PORT: '0',
      ACCOUNTS__DEMO: 'false',
      DATABASE_URL,
      SESSION__SECRET: 'a secret for the server of this test',
    })
    expect(output()).toContain(`skipped ${name}. It is a draft`)
    expect((await fetch(`${url}/readyz`)).status).toBe(200)
    const migrate = await runCli(['db', 'migrate'], { bin: join(clone, 'cli/bin.js'), env: { DATABASE_URL } })
    expect(migrate).toMatchObject({ code: 1, stderr: expect.stringContaining('is a draft') })
  })

  it('rejects a second migration with the same name', async () => {
    const { code, stderr } = await generate('migration', 'create_users')
    expect([code, stderr]).toEqual([
      3,
      expect.stringContaining('20260101000000_create_users.ts already has this name'),
    ])
  })

  it.each(['../x', 'a/b', '1st', '', ' ', 'naïve', 'x'.repeat(81), '__proto__', '-x'])(
    'rejects the name %j, and writes nothing',
    async (name) => {
      const before = treeOf()
      expect(await generate('migration', name)).toMatchObject({ code: 2, stdout: '' })
      expect(treeOf()).toEqual(before)
    },
  )
})

describe('cli generate job', () => {
  it('creates the job with a test and lists it', async () => {
    const { code, stdout } = await generate('job', 'SendWelcome')
    expect([code, stdout]).toEqual([
      0,
      'create  app/jobs/send-welcome.ts\ncreate  app/jobs/send-welcome.test.ts\nchange  app/jobs/jobs.ts\n',
    ])
    expect((await generate('job', 'archive-posts')).code).toBe(0)
    const { jobs } = (await import(join(clone, 'app/jobs/jobs.ts'))) as { jobs: { name: string }[] }
    expect(jobs.map(({ name }) => name)).toEqual(['archive-posts', 'send-mail', 'send-welcome'])
  })

  it('writes nothing if the job or its test exists', async () => {
    writeFileSync(join(clone, 'app/jobs/tested.test.ts'), '')
    const before = [treeOf(), read('app/jobs/jobs.ts')]
    for (const name of ['send-welcome', 'tested'])
      expect(await generate('job', name)).toMatchObject({ code: 3 })
    expect([treeOf(), read('app/jobs/jobs.ts')]).toEqual(before)
  })
})

describe('cli generate mail', () => {
  const page = readFileSync(join(root, 'docs/mail.md'), 'utf8')

  it('creates the mail with its templates and a test, and lists it', async () => {
    const { code, stdout, stderr } = await generate('mail', 'Welcome')
    expect([code, stdout]).toEqual([
      0,
      [
        'create  app/mails/welcome.ts',
        'create  app/mails/welcome.test.ts',
        'create  views/mails/welcome.eta',
        'create  views/mails/welcome.text.eta',
        'change  app/mails/mails.ts\n',
      ].join('\n'),
    ])
    expect(stderr).toContain('await send(welcome, { to, data })')
    const { mails } = (await import(join(clone, 'app/mails/mails.ts'))) as typeof Mails
    expect(mails.map(({ name }) => name)).toContain('welcome')
  })

  it('creates the file that docs/mail.md shows', () => {
    expect(page).toContain(`// app/mails/welcome.ts\n${read('app/mails/welcome.ts')}`)
  })

  it('creates templates that render the example', async () => {
    const { mails } = (await import(join(clone, 'app/mails/mails.ts'))) as typeof Mails
    await expect(checkMails({ ...settings, mails, views: join(clone, 'views') })).resolves.toBeUndefined()
  })

  it('renders the template of docs/mail.md', async () => {
    const [, template = ''] = /```html\n(.*?)```/s.exec(page) ?? []
    writeFileSync(join(clone, 'views/mails/welcome.eta'), template)
    const { mails } = (await import(join(clone, 'app/mails/mails.ts'))) as typeof Mails
    await expect(checkMails({ ...settings, mails, views: join(clone, 'views') })).resolves.toBeUndefined()
  })

  it('writes nothing if one of its files exists', async () => {
    writeFileSync(join(clone, 'views/mails/tested.text.eta'), '')
    const before = [treeOf(), read('app/mails/mails.ts')]
    for (const name of ['welcome', 'tested']) expect(await generate('mail', name)).toMatchObject({ code: 3 })
    expect([treeOf(), read('app/mails/mails.ts')]).toEqual(before)
    expect(globSync('views/mails/tested*', { cwd: clone })).toEqual(['views/mails/tested.text.eta'])
  })
})

describe('cli generate task', () => {
  it('creates the task and lists it, so that it runs', async () => {
    const { code, stdout } = await generate('task', 'archive_posts')
    expect([code, stdout]).toEqual([0, 'create  app/tasks/archive-posts.ts\nchange  app/tasks/tasks.ts\n'])
    expect(read('app/tasks/tasks.ts')).toContain(`import { archivePosts } from './archive-posts.ts'`)
    const help = await runCli(['task', 'archive-posts', '--help'], { bin: join(clone, 'cli/bin.js') })
    expect([help.code, help.stdout]).toEqual([0, expect.stringContaining('--since')])
  })

  it('names the constant differently if the name is a reserved word', async () => {
    expect((await generate('task', 'default')).code).toBe(0)
    expect(read('app/tasks/tasks.ts')).toContain(`import { defaultTask } from './default.ts'`)
  })

  it('changes nothing if the task already exists', async () => {
    const before = read('app/tasks/tasks.ts')
    const { code, stderr } = await generate('task', 'grant-role')
    expect([code, stderr]).toEqual([3, expect.stringContaining('app/tasks/grant-role.ts already exists')])
    expect(read('app/tasks/tasks.ts')).toBe(before)
  })
})

describe('addToList', () => {
  it('adds to a list on several lines, and returns null for an unknown structure', () => {
    const imports = `import type { AnyTask } from 'pergola/tasks'\nimport { b } from './b.ts'\n`
    const several = `${imports}\nexport const tasks: readonly AnyTask[] = [\n  b,\n]\n`
    expect(addToList(several, 'tasks', { variable: 'a', file: './a.ts' })).toBe(
      `import type { AnyTask } from 'pergola/tasks'\nimport { a } from './a.ts'\nimport { b } from './b.ts'\n` +
        '\nexport const tasks: readonly AnyTask[] = [a, b]\n',
    )
    expect(
      addToList(several.replace('  b,', '  ...b,'), 'tasks', { variable: 'a', file: './a.ts' }),
    ).toBeNull()
    expect(addToList('export default []', 'tasks', { variable: 'a', file: './a.ts' })).toBeNull()
  })
})

describe('cli generate policy', () => {
  beforeAll(() => {
    writeFileSync(
      join(clone, 'app/blog-note.ts'),
      `import { z } from 'zod'
import type { Generated } from 'kysely'
import { resource, type RowOf } from 'pergola'
declare module 'pergola' {
  interface Tables { blog_notes: { id: Generated<number>; text: string; writer_id: number } }
}
export const BlogNote = resource('BlogNote', { table: 'blog_notes', input: z.strictObject({}), columns: ['text'], owner: 'writer_id' })
export type BlogNote = RowOf<typeof BlogNote>
`,
    )
  })

  it('creates the policy and the scope of a resource, and prints the next steps', async () => {
    const { code, stdout, stderr } = await generate('policy', 'blog-note')
    expect([code, stdout]).toEqual([0, 'create  app/blog-note.policy.ts\n'])
    expect(stderr).toContain('repository(BlogNote, { policy: blogNotePolicy, scope: blogNoteScope })')
    const text = read('app/blog-note.policy.ts')
    expect(text).toContain(`ctx.owns(blogNote.writer_id) || ctx.hasRole('admin')`)
    expect(text).toContain('canUpdate: mayWrite,')
    expect(text).toContain(`is('writer_id', '=', ctx.userId)`)
    expect(text).toContain('BlogNote: typeof blogNotePolicy')
    expect((await generate('policy', 'BlogNote')).code).toBe(3)
  })

  it('reports an existing policy, and suggests a name for an unknown resource', async () => {
    const second = await generate('policy', 'user')
    expect([second.code, second.stderr]).toEqual([
      3,
      expect.stringMatching(/^User already has a policy: app\/users\/user\.policy\.ts:\d+/),
    ])
    const typo = await generate('policy', 'blog_nite')
    expect([typo.code, typo.stderr]).toEqual([
      2,
      expect.stringMatching(/^Unknown resource: BlogNite. Did you mean BlogNote\? Available: BlogNote\b/),
    ])
  })
})

describe('the generated code', () => {
  it('passes the type check and is formatted', () => {
    const tool = (name: string, ...args: string[]) =>
      spawnSync(process.execPath, [join(root, 'node_modules', name), ...args], {
        cwd: clone,
        encoding: 'utf8',
      }).stdout
    expect(tool('typescript/bin/tsc', '-p', '.')).toBe('')
    const files = globSync('app/{tasks/*,db/migrations/*,blog-note.policy}.ts', { cwd: clone })
    expect(tool('prettier/bin/prettier.cjs', '--check', ...files)).toContain('All matched files')
  })
})
