import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { withoutSections } from './companions.ts'
import { destroy } from './destroy-resource.ts'
import { existingIn, nameConflict } from './existing.ts'
import type { Project } from './project/project.ts'
import { uncommittedIn } from '../project/uncommitted.ts'
import { testProject } from '../test-support/test-project.ts'
import { namesOf } from './read/names.ts'
import { scaffold } from './scaffold-resource.ts'

const project = await testProject()
const manifest = readFileSync(join(project.root, 'security.manifest.json'), 'utf8')
const quick: Project = { ...project, manifest: () => Promise.resolve(manifest) }
const at = (path: string) => join(project.root, path)

function write(path: string, content: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), content)
}

const git = (...args: string[]) => execFileSync('git', args, { cwd: project.root })

function commit(): void {
  const author = ['-c', 'user.name=Ada', '-c', 'user.email=ada@example.test']
  git('add', '--all', '--', ':!node_modules')
  git(...author, 'commit', '--quiet', '--no-verify', '-m', 'Add gadgets')
}

const MIGRATION = 'app/db/migrations/29990101000000_count_gadgets.ts'
const PICTURE = Buffer.of(0x89, 0x50, 0xff, 0xfe, 0x00)
const COMPANIONS = ['app/gadgets/report/report.ts', 'views/gadgets/report.eta', 'e2e/gadgets/report.spec.ts']

function writeCompanions(): void {
  for (const path of COMPANIONS) write(path, '')
  write('docs/gadgets.png', PICTURE)
  write('README.md', 'Before.\n\n<!-- gadgets -->\n\nAbout gadgets.\n\n<!-- /gadgets -->\n\nAfter.\n')
  write('app/gadgets/companions.json', JSON.stringify({ files: [MIGRATION, 'docs/gadgets.png', 'gone.md'] }))
  write(
    MIGRATION,
    `import type { Kysely } from 'kysely'

export async function up(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('users').addColumn('gadgets_count', 'integer').execute()
}

export async function down(db: Kysely<never>): Promise<void> {
  await db.schema.alterTable('users').dropColumn('gadgets_count').execute()
}
`,
  )
}

describe('destroy', () => {
  it('removes companions only with force, and rolls back their migrations', async () => {
    const args = { name: 'gadget', fields: ['title:string', 'owner:references:user'], options: {} }
    await scaffold(quick, args)
    writeCompanions()
    // A migration of another resource is the newest, so that a new migration drops the table.
    await project.inDatabase((database) => database.migrate())
    await project.sql(
      `insert into kysely_migration (name, timestamp) values ('29990102000000_other', '2999')`,
    )
    write('app/db/migrations/29990102000000_other.ts', 'export const up = async () => {}\n')
    const before = project.files()

    // The copy is not in a git repository.
    const forced = () => destroy(quick, 'gadget', { force: true })
    const refusal = (...files: string[]) => ({
      code: 3,
      message: expect.stringMatching(
        new RegExp(
          `are not committed:\\n  ${files.join('\\n  ')}\\nCommit them first .*\\nNo files were written\\.$`,
        ),
      ) as string,
    })
    const all = [MIGRATION, 'app/gadgets/companions.json', ...COMPANIONS].toSorted()
    await expect(forced()).rejects.toMatchObject(refusal(...all, 'docs/gadgets.png'))
    write('.gitignore', '')
    git('init', '--quiet')
    commit()
    expect(uncommittedIn(project.root, [MIGRATION, 'docs/gadgets.png'])).toEqual([])
    await expect(destroy(quick, 'gadget')).rejects.toMatchObject({
      code: 3,
      message: expect.stringMatching(
        /These files of Gadget were not generated:\n {2}app\/db\/migrations\/29990101000000_count_gadgets\.ts\n[^]* {2}docs\/gadgets\.png\nUse --force to remove them too\.\nNo files were written\./,
      ) as string,
    })
    expect(project.files()).toEqual(before)

    // A new, a changed and an ignored file.
    write('.gitignore', '*.secret\n')
    const [script = ''] = COMPANIONS
    write('views/gadgets/own.eta', 'Mine.')
    write(script, '// Mine.\n')
    write('app/gadgets/key.secret', 'Mine.')
    const mine = project.files()
    await expect(forced()).rejects.toMatchObject(
      refusal('app/gadgets/key.secret', script, 'views/gadgets/own.eta'),
    )
    await expect(destroy(quick, 'gadget', { force: true, dryRun: true })).rejects.toMatchObject({ code: 3 })
    expect(project.files()).toEqual(mine)
    write('.gitignore', '')
    commit()

    const { steps, table } = await destroy(quick, 'gadget', { force: true })
    expect(table).toBe('dropped')
    expect(steps.filter(({ verb }) => verb === 'remove').map(({ path }) => path)).toEqual(
      expect.arrayContaining([...COMPANIONS, 'app/gadgets/companions.json', 'docs/gadgets.png']),
    )
    for (const path of ['app/gadgets', 'views/gadgets', 'e2e/gadgets', 'docs/gadgets.png'])
      expect([path, existsSync(at(path))]).toEqual([path, false])
    expect(readFileSync(at('README.md'), 'utf8')).toBe('Before.\n\nAfter.\n')
    const catalog = (await project.catalog()).join()
    expect(catalog).not.toContain('gadgets')

    await project.inDatabase((database) => database.rollback(1))
    expect((await project.catalog()).join()).toContain('column users.gadgets_count')
  })
})

describe('companions', () => {
  it('are not reported as code that depends on the resource', async () => {
    await scaffold(quick, { name: 'gadget', fields: ['title:string'], options: {} })
    const code = 'import { Gadget } from "#app/gadgets/gadget.ts"\n'
    write('app/users/companion.ts', code)
    write('views/users/companion.eta', "<%~ include('/gadgets/_form') %>\n")
    write('app/gadgets/companions.json', JSON.stringify({ files: ['app/users'] }))
    commit()
    await expect(destroy(quick, 'gadget', { force: true })).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining(
        'Other code depends on Gadget:\n  app/users/companion.ts\n  views/users/companion.eta\nDestroy or change',
      ) as string,
    })
    const files = ['app/users/companion.ts', 'views/users/companion.eta']
    write('app/gadgets/companions.json', JSON.stringify({ files }))
    commit()
    await destroy(quick, 'gadget', { force: true })
    expect(files.filter((path) => existsSync(at(path)))).toEqual([])
  })
})

describe('a new resource', () => {
  it('can’t use an existing folder of browser tests', async () => {
    write('e2e/fixtures/own.ts', '')
    const existing = await existingIn(project.root)
    expect(nameConflict(namesOf('fixture'), existing)).toBe(
      'the folder fixtures already exists in app/, views/ or e2e/',
    )
  })

  it('can have a table that also occurs in a test', async () => {
    write('app/test/test-gadget.ts', 'interface Tables {\n  widgets: unknown\n}\n')
    expect(nameConflict(namesOf('widget'), await existingIn(project.root))).toBeNull()
  })
})

describe('withoutSections', () => {
  const names = namesOf('post')

  it('removes only the sections of this resource', () => {
    const text = 'A\n<!-- posts -->\nB\n<!-- /posts -->\n<!-- posts -->\nC\n<!-- /posts -->\nD\n'
    expect(withoutSections(text, names)).toBe('A\nD\n')
    expect(withoutSections(text, namesOf('note'))).toBe(text)
  })
})
