import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { catalogOf } from '../../test-support/catalog.ts'
import { cloneOf, runIn } from '../../test-support/run-in.ts'
import { expectDone } from '../../test-support/expect-done.ts'

// `npm run pergola -- test:scaffold`: one change after another of edited resources, in a clone of the last commit.
const scratch = mkdtempSync(join(tmpdir(), 'scaffold-changes-'))
const clone = join(scratch, 'clone')
afterAll(() => rmSync(scratch, { recursive: true, force: true }))

const database = `${inject('databases').prefix}changes`
const url = databaseUrl(inject('databases').adminUrl, database)
const run = (program: string, args: readonly string[]) =>
  runIn(clone, { program, args: [...args], env: { DATABASE_URL: url } })
const cli = (...words: string[]) => run('cli/bin.js', words)
const tool = (file: string, ...words: string[]) => run(join('node_modules', file), words)
const gitStatus = () => runIn(clone, { program: 'git', args: ['status', '--porcelain'] })

const before: { catalog: string[] } = { catalog: [] }

beforeAll(async () => {
  await cloneOf(join(import.meta.dirname, '../../..'), clone)
  await createDatabase(inject('databases').adminUrl, database)
  await cli('db', 'migrate')
  await cli('db', 'seed')
  before.catalog = await catalogOf(url)
})

// A failed sequence leaves its resources.
afterEach(async () => {
  for (const name of ['visit', 'note', 'case', 'ticket'])
    await cli('destroy', name, '--force').catch(() => {})
  await runIn(clone, { program: 'git', args: ['clean', '-fdq'] })
  await runIn(clone, { program: 'git', args: ['checkout', '--quiet', '.'] })
})

/** An edit of a file of the tickets. The second text is still there at the end. */
type Edit = readonly [path: string, from: string, to: string]

const RULE: Edit = [
  'app/tickets/ticket.policy.ts',
  "ctx.hasRole('admin')",
  "ctx.hasRole('admin') /* and nobody else */",
]
const HEADING: Edit = ['views/tickets/show.eta', '<div class="record">', '<div class="record wide">']
const COLUMN: Edit = [
  'views/tickets/index.eta',
  '<table class="records" role="table">',
  '<table class="records compact" role="table">',
]
const HINT: Edit = [
  'views/tickets/_form.eta',
  '<button><%= it.submit %></button>',
  '<p>Be kind.</p><button><%= it.submit %></button>',
]
const FLASH: Edit = ['app/tickets/ticket.controller.ts', "'Ticket created.'", "'Thank you for the ticket.'"]
const ORDER: Edit = [
  'app/tickets/ticket.repository.ts',
  "order: '-created_at',",
  "order: '-created_at', // the newest first",
]
const TEST: Edit = [
  'app/tickets/ticket.test.ts',
  'const app = await testApp()',
  '// All of these tests share an application.\nconst app = await testApp()',
]
const EVERY = [RULE, HEADING, COLUMN, HINT, ORDER, TEST]

/** A resource, the edits of its files, and the changes, with the words of a command each. */
const SEQUENCES: readonly [fields: string, edits: readonly Edit[], changes: readonly string[]][] = [
  [
    'title body:text due:date? author:references:user',
    EVERY,
    ['--rename due:due_on', '--rename due_on:due_at --type due_at:datetime', '--remove due_at'],
  ],
  [
    'title body:text author:references:user',
    [...EVERY, ['app/tickets/ticket.ts', 'field.text()', 'field.text({ max: 900 })']],
    ['--rename body:description', '--rename title:subject'],
  ],
  ['title body:text author:references:user', EVERY, ['--rename body:story', 'weight:integer?']],
  [
    'title level:integer author:references:user',
    EVERY,
    ['--type level:decimal:8,2', '--rename level:rank', '--type rank:string'],
  ],
  [
    'title state:enum{open,closed}=open author:references:user',
    EVERY,
    ['--type state:enum{open,waiting,closed}', '--rename state:phase', '--remove phase'],
  ],
  [
    'title note:text? author:references:user',
    [...EVERY, FLASH],
    ['--require note', '--type note:string:1..500', '--type note:string?'],
  ],
  [
    'title author:references:user reviewer:references:user?',
    EVERY,
    ['--rename author:writer', '--rename reviewer:checker', '--remove checker'],
  ],
  [
    'title slug^ author:references:user',
    EVERY,
    ['--rename slug:path', '--rename title:name', '--remove path'],
  ],
  [
    'title done:boolean author:references:user --public-when done',
    [HEADING, COLUMN, HINT, ORDER, TEST],
    ['--rename done:shown', '--remove shown'],
  ],
  [
    'title due:datetime author:references:user --cursor due',
    [HEADING, HINT, TEST],
    ['--rename due:starts_at', '--remove starts_at'],
  ],
  [
    'title body:text author:references:user --soft-delete --id uuid',
    EVERY,
    ['--rename body:story', '--remove story'],
  ],
  [
    'title mail:email?^ author:references:user --no-version',
    EVERY,
    ['--rename mail:address_of_mail', '--require address_of_mail', 'phone:string?'],
  ],
  [
    'title parent:references:self? author:references:user',
    EVERY,
    ['--rename parent:above', '--remove above'],
  ],
  [
    'title a:integer? b:integer? c:integer? d:integer? e:integer? author:references:user',
    EVERY,
    ['--remove b', '--remove a --remove c', '--rename d:first --rename e:second'],
  ],
  [
    'title price:decimal{8,2} author:references:user --no-api',
    EVERY,
    ['--rename price:cost', '--type cost:decimal:12,4', 'note:text? --rename title:name'],
  ],
  [
    'title starts:time? day:date? author:references:user',
    EVERY,
    ['--rename starts:begins_at --rename day:on_day', '--remove begins_at'],
  ],
  ['title extra:json? author:references:user', EVERY, ['--rename extra:details', '--remove details']],
  [
    'title secret:string?:private author:references:user',
    EVERY,
    ['--rename secret:hidden_note', '--remove hidden_note'],
  ],
  [
    'title body:text --public-read',
    [HEADING, COLUMN, HINT, ORDER, TEST],
    ['--rename body:story', 'owner:references:user?', '--remove owner'],
  ],
  [
    'title body:text author:references:user',
    [...EVERY, FLASH],
    ['--remove body', 'body:text?', '--rename body:text_of_it --two-steps'],
  ],
]

describe.each(SEQUENCES)('ticket %s', (fields, edits, changes) => {
  const at = (path: string) => join(clone, path)
  const read = (path: string) => readFileSync(at(path), 'utf8')

  it('keeps every edit, and passes all checks after each change', { timeout: 3_600_000 }, async () => {
    await cli('scaffold', 'ticket', ...fields.split(' '))
    for (const [path, from, to] of edits) {
      expect(read(path)).toContain(from)
      writeFileSync(at(path), read(path).replace(from, to))
    }
    await tool('prettier/bin/prettier.cjs', '--write', 'app/tickets')
    for (const words of changes) {
      const said = await cli(
        'scaffold',
        'ticket',
        ...words.split(' '),
        ...(words.includes('--remove') ? ['--force'] : []),
      )
      expect(said).not.toMatch(/^\s*keep |^\s*look .*:\d/m)
      expect(edits.filter(([path, , to]) => !plain(read(path)).includes(plain(to)))).toEqual([])
      // The second of two steps drops the column that the types no longer have.
      await expectValid(['app/tickets/'], { types: !words.includes('--two-steps') })
    }
    await cli('destroy', 'ticket', '--force')
    await expectNothingLeft()
  })
})

/** Runs all checks, and the tests of these folders. */
async function expectValid(folders: readonly string[], { types = true } = {}): Promise<void> {
  await expectDone(tool('prettier/bin/prettier.cjs', '--check', 'app', 'e2e'))
  await expectDone(cli('views', 'check'))
  await expectDone(tool('typescript/bin/tsc', '-p', 'e2e'))
  await expectDone(tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', ...folders))
  if (types) await expectDone(cli('db', 'types', '--check'))
  await expectDone(tool('vitest/vitest.mjs', 'run', ...folders))
}

/** Rolls back the migrations that are left, because the next sequence lacks their files. */
async function expectNothingLeft(): Promise<void> {
  expect(await catalogOf(url)).toEqual(before.catalog)
  for (const _ of (await gitStatus()).matchAll(/app\/db\/migrations\/\d/g)) await cli('db', 'rollback')
  await runIn(clone, { program: 'git', args: ['clean', '-fdq', 'app/db'] })
  await expectDone(cli('routes', 'audit', '--write'))
  expect(await gitStatus()).toBe('')
  expect(await catalogOf(url)).toEqual(before.catalog)
}

describe('--rename-model', () => {
  it('keeps the edits, and the code that refers to the resource works', { timeout: 3_600_000 }, async () => {
    const scaffold = (words: string) => cli('scaffold', ...words.split(' '))
    await scaffold('ticket title body:text author:references:user')
    await scaffold('note text:text ticket:references author:references:user --in ticket --count')
    await scaffold('visit reason ticket:references?')
    for (const [path, from, to] of EVERY)
      writeFileSync(join(clone, path), readFileSync(join(clone, path), 'utf8').replace(from, to))
    mkdirSync(join(clone, 'app/tickets/open'))
    writeFileSync(join(clone, 'app/tickets/open/counted.ts'), OPEN_TICKETS)
    writeFileSync(join(clone, 'app/home/open.ts'), HOME)
    await tool('prettier/bin/prettier.cjs', '--write', 'app/tickets')
    await expect(scaffold('ticket --rename-model case')).rejects.toThrow('npx cli routes audit --write')
    await expectDone(cli('routes', 'audit', '--write'))
    expect(await scaffold('ticket --rename-model case')).not.toMatch(/^\s*(?:keep|look) /m)
    const edits = EVERY.map(([path, , to]) => [path.replaceAll('ticket', 'case'), to] as const)
    expect(
      edits.filter(([path, to]) => !plain(readFileSync(join(clone, path), 'utf8')).includes(plain(to))),
    ).toEqual([])
    expect(readFileSync(join(clone, 'app/home/open.ts'), 'utf8')).toBe(
      HOME.replaceAll('ticket', 'case').replaceAll('Ticket', 'Case'),
    )
    await expectValid(['app/cases/', 'app/notes/', 'app/visits/', 'app/home/'])
    await scaffold('case --rename body:story')
    await scaffold('visit --rename ticket:case')
    await expectValid(['app/cases/', 'app/visits/'])
    rmSync(join(clone, 'app/home/open.ts'))
    rmSync(join(clone, 'app/cases/open'), { recursive: true })
    for (const name of ['visit', 'note', 'case']) await cli('destroy', name, '--force')
    await expectNothingLeft()
  })

  it('renames the sample with its companions, and back byte for byte', { timeout: 3_600_000 }, async () => {
    await cli('scaffold', 'post', '--rename-model', 'article')
    await expectValid(['app/articles/'])
    await cli('scaffold', 'article', '--rename-model', 'post')
    expect(await gitStatus()).toMatch(
      /^ M app\/posts\/scaffold.json\n(?:\?\? app\/db\/migrations\/\d+_rename_\w+\.ts\n){2}$/,
    )
    await runIn(clone, { program: 'git', args: ['checkout', '--quiet', 'app/posts/scaffold.json'] })
    await expectNothingLeft()
  })
})

// Lists of lines: the command changes each file with an import of the resource, and this one is in the clone.
const OPEN_TICKETS = [
  "import { tickets } from '../ticket.repository.ts'",
  '',
  '/** Returns the number of tickets. */',
  "export const openTickets = (): Promise<number> => tickets.asSystem('the home page').count()",
  '',
].join('\n')
const HOME = [
  "import { openTickets } from '#app/tickets/open/counted.ts'",
  "import type { Ticket } from '#app/tickets/ticket.ts'",
  '',
  'export const textOf = async (one: Ticket): Promise<string> => one.title + (await openTickets())',
  '',
].join('\n')

/** A longer name can break a line. */
const plain = (text: string) => text.replaceAll(/\s+/g, '')
