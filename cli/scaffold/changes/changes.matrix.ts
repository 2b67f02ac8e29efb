import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, describe, expect, inject, it } from 'vitest'
import { createDatabase, databaseUrl } from 'pergola/lab'
import { catalogOf } from '../../test-support/catalog.ts'
import { cloneOf, runIn } from '../../test-support/run-in.ts'
import { expectDone } from '../../test-support/expect-done.ts'

// `npm run test:scaffold`: one change after another of edited resources, in a clone of the last commit.
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

// A failed sequence leaves its tickets.
afterEach(async () => {
  await cli('destroy', 'ticket', '--force').catch(() => {})
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
      await expectDone(tool('prettier/bin/prettier.cjs', '--check', 'app', 'e2e'))
      await expectDone(cli('views', 'check'))
      await expectDone(tool('typescript/bin/tsc', '-p', 'e2e'))
      await expectDone(tool('oxlint/bin/oxlint', '--type-aware', '--deny-warnings', 'app/tickets'))
      await expectDone(cli('db', 'types', '--check'))
      await expectDone(tool('vitest/vitest.mjs', 'run', 'app/tickets/'))
    }
    await cli('destroy', 'ticket', '--force')
    await runIn(clone, { program: 'git', args: ['clean', '-fdq', 'app/db'] })
    await expectDone(cli('routes', 'audit', '--write'))
    expect(await gitStatus()).toBe('')
    expect(await catalogOf(url)).toEqual(before.catalog)
  })
})

/** A longer name can break a line. */
const plain = (text: string) => text.replaceAll(/\s+/g, '')
