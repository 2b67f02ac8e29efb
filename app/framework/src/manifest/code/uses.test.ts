import { describe, expect, it } from 'vitest'
import { parseSource } from './sources.ts'
import { usesIn, useInWords } from './uses.ts'

// The test of the package's own imports must not find these imports in the text of this file.
const [IMPORT, FROM, REQUIRE] = ['import', 'from', 'require']

const WATCHED = { tables: ['notes', 'users'], functions: ['startSession'] }
const uses = (text: string, file = 'app/notes/x.ts') => usesIn(parseSource({ file, text }), WATCHED)
const foundIn = (text: string, file?: string) => uses(text, file).map(({ kind, what }) => [kind, what])

describe('usesIn', () => {
  it.each([
    [`await database().selectFrom('notes').selectAll().execute()`, ['notes']],
    [`const db = database()\ndb.selectFrom('public.notes as n')`, ['notes']],
    [`db.selectFrom(['notes', 'leaves', 'users as u'])`, ['notes, users']],
    [`db.selectFrom('sessions').innerJoin('users', 'users.id', 'user_id')`, ['users']],
    [`db.selectFrom('sessions').leftJoinLateral((eb) => eb.selectFrom('notes').as('n'), on)`, ['notes']],
    [`db['selectFrom'](\`notes\` as const)`, ['notes']],
    ['db?.selectFrom?.(table)', ['(not a literal)']],
    ['db.selectFrom(...tables)', ['(not a literal)']],
    ['db.selectFrom(db.dynamic.table(name).as(alias))', ['(not a literal)']],
    [`db.updateTable('sessions').from('users')`, ['users']],
    [`db.deleteFrom('sessions').using('users as u')`, ['users']],
    [`const { selectFrom } = db`, ['(not a literal)']],
    [`const select = db.selectFrom`, ['(not a literal)']],
    [`Reflect.get(db, 'selectFrom')`, ['(not a literal)']],
  ])('finds the tables in %j', (text, tables) => {
    expect(foundIn(text)).toEqual(tables.map((table) => ['table', table]))
  })

  it.each([
    'selectFrom',
    'innerJoin',
    'leftJoin',
    'rightJoin',
    'fullJoin',
    'crossJoin',
    'innerJoinLateral',
    'leftJoinLateral',
    'crossJoinLateral',
    'outerApply',
    'crossApply',
  ])('finds a table of %s', (method) => {
    expect(foundIn(`query.${method}('notes as n', ...on)`)).toEqual([['table', 'notes']])
  })

  it.each([
    ['sql`select * from notes`.execute(db)', 'select * from notes'],
    [
      'const q = sql<{ id: number }>`\n  SELECT id\n  FROM notes where id = ${id}`',
      'SELECT id FROM notes where id = ${…}',
    ],
    ['is(sql<boolean>`exists (select from notes)`)', 'exists (select from notes)'],
    ['sql`table ${sql.table(name)}`', 'table ${…}'],
    [`import { sql as raw } ${FROM} 'kysely'\nraw\`select 1\``, 'select 1'],
    ['kysely.sql`select 1`', 'select 1'],
    [`sql.raw('select 1')`, 'select 1'],
    ['sql.raw(text)', '(not a literal)'],
    [`CompiledQuery.raw('select 1')`, 'select 1'],
  ])('finds the SQL in %j', (text, what) => {
    expect(foundIn(text)).toEqual([['sql', what]])
  })

  it.each([
    [`db.withoutPlugins().deleteFrom('notes')`],
    [`const { withoutPlugins: plain } = db`],
    [`db['withoutPlugins']()`],
  ])('finds withoutPlugins in %j', (text) => {
    expect(foundIn(text)).toEqual([['call', 'withoutPlugins']])
  })

  it.each([
    [`import { withTenant } ${FROM} 'pergola'\nwithTenant(1, work)`, 'withTenant'],
    [`import { withAllTenants as all } ${FROM} 'pergola'`, 'withAllTenants'],
    [`import { database, contextOf, type Handler } ${FROM} 'pergola'`, 'contextOf, database'],
    [`export { database } ${FROM} 'pergola'`, 'database'],
    [`import { startSession } ${FROM} '#app/sessions/session.ts'`, 'startSession'],
    [`import { Kysely } ${FROM} 'kysely'`, 'Kysely'],
  ])('finds the function that passes policies by in %j', (text, what) => {
    expect(foundIn(text)).toEqual([['call', what]])
  })

  it.each([
    [`import * as pergola ${FROM} 'pergola'`, 'pergola'],
    [`const { database } = await ${IMPORT}('pergola')`, 'pergola'],
    [`export * ${FROM} 'kysely'`, 'kysely'],
    [`const { Client } = await ${IMPORT}('pg')`, 'pg'],
    [`import { createServer } ${FROM} 'node:http'`, 'node:http'],
    [`import net ${FROM} 'net'`, 'net'],
    [`import { createRequire } ${FROM} 'node:module'`, 'node:module'],
  ])('finds the module that can open connections or ports in %j', (text, what) => {
    expect(foundIn(text)).toEqual([['import', what]])
  })

  it.each([
    [
      `import { decide } ${FROM} 'pergola/src/authorization/decide.ts'`,
      'pergola/src/authorization/decide.ts',
    ],
    [`export * ${FROM} '../framework/src/index.ts'`, '../framework/src/index.ts'],
    [`await ${IMPORT}('#app/framework/src/index.ts')`, '#app/framework/src/index.ts'],
    [`${REQUIRE}('../../node_modules/pergola/src/x.ts')`, '../../node_modules/pergola/src/x.ts'],
    [`${IMPORT}('pergola/testing/index.ts')`, 'pergola/testing/index.ts'],
    [`import { x } ${FROM} '../framework/./testing/x.ts'`, '../framework/./testing/x.ts'],
    [`const folder = '../framework/src'`, '../framework/src'],
  ])('finds the import in %j', (text, what) => {
    expect(foundIn(text)).toEqual([['import', what]])
  })

  it('finds an import through a relative path of a file beside the framework', () => {
    expect(foundIn(`import { x } ${FROM} './framework/src/index.ts'`, 'app/app.ts')).toEqual([
      ['import', './framework/src/index.ts'],
    ])
    expect(foundIn('await import(name)')).toEqual([['import', '(not a literal)']])
  })

  it('finds nothing in comments, public entries, other tables and SQL without a select', () => {
    const text = `// db.selectFrom('notes'), sql\`select 1\`, withoutPlugins()
      import { record } ${FROM} 'pergola'
      import type { Pool } ${FROM} 'pg'
      import { task } ${FROM} 'pergola/tasks'
      import { lockWait } ${FROM} 'pergola/testing'
      import { explain } ${FROM} 'pergola/manifest'
      import { own } ${FROM} '../frameworks/src.ts'
      await ${IMPORT}('youch')
      database().selectFrom('sessions as notes').where(sql<boolean>\`now() > 'select' /* select */\`)
      database().insertInto('sessions').values({ at: sql\`now()\` })
      Array.from('note').concat(Buffer.from(text))
      console.log('Use withoutPlugins().', 'a select from notes')`
    expect(uses(text)).toEqual([])
  })

  it('returns the line of each use, and reports a file that it can’t parse', () => {
    const text = `db\n  .selectFrom('notes')\n  .innerJoin('users', on)\n\nsql\`select 1\``
    expect(uses(text).map(({ line, what }) => [line, what])).toEqual([
      [2, 'notes'],
      [3, 'users'],
      [5, 'select 1'],
    ])
    expect(uses('const one = 1\ndb.selectFrom(')).toEqual([
      { file: 'app/notes/x.ts', line: 2, kind: 'unreadable', what: '(all of it)' },
    ])
  })
})

describe('useInWords', () => {
  it.each([
    ['table', 'notes', 'reads the table notes directly'],
    ['table', '(not a literal)', 'reads a table whose name is not a literal'],
    ['sql', 'select 1', 'selects with raw SQL: select 1'],
    ['sql', '(not a literal)', 'selects with raw SQL: (not a literal)'],
    ['import', 'pergola/src/x.ts', 'imports pergola/src/x.ts'],
    ['import', '(not a literal)', 'imports a module whose name is not a literal'],
    ['call', 'withAllTenants', 'uses withAllTenants'],
    ['unreadable', '(all of it)', 'does not parse, so its uses are unknown'],
  ] as const)('describes %s %s', (kind, what, words) => {
    expect(useInWords({ kind, what })).toBe(words)
  })
})

describe('a use of asSystem', () => {
  it.each([
    [`await notes.asSystem('seed').insert({})`, 'notes', 'seed'],
    [`const all = notes\n  .asSystem(\n    "every night",\n  )`, 'notes', 'every night'],
    ['repositories[0]?.asSystem(`it’s due`)', 'repositories[0]', 'it’s due'],
    [`repositoryOf(Note).asSystem('why')`, 'repositoryOf(Note)', 'why'],
    ['/* here */ this.notes.asSystem(why)', 'this.notes', null],
    ['notes.asSystem(`because of ${name}`)', 'notes', null],
    [`notes.asSystem('a' + b)`, 'notes', null],
    [`notes.asSystem(...['why'])`, 'notes', null],
    [`notes?.asSystem?.('why')`, 'notes', 'why'],
    [`(notes as Repository<Note>).asSystem('why' as const)`, 'notes', 'why'],
    [`notes!.asSystem('it\\'s due')`, 'notes', `it's due`],
    [`all.get(Note, 1)\n  ?.notes\n  .asSystem('why')`, 'all.get(Note,1)?.notes', 'why'],
    [`(isOld ? notes : leaves).asSystem('why')`, 'isOld?notes:leaves', 'why'],
    [`notes['asSystem']('why')`, 'notes', 'why'],
    ['notes[`asSystem`]("why")', 'notes', 'why'],
    [`const { asSystem } = notes`, '(an unnamed expression)', null],
    [`import { all as asSystem } ${FROM} './all.ts'`, '(an unnamed expression)', null],
    [`const { name, asSystem: system = null } = this.notes`, '(an unnamed expression)', null],
    [`const { ['asSystem']: system } = notes`, '(an unnamed expression)', null],
    [`;({ asSystem: system } = notes)`, '(an unnamed expression)', null],
    [`notes['as' + 'System']('why')`, 'notes', 'why'],
    ['const key = "as" + ("Sys" + `tem`)', '(an unnamed expression)', null],
    [`const seed = ({ asSystem }: typeof notes) => null`, '(an unnamed expression)', null],
    [`const system = notes.asSystem`, 'notes', null],
    [`notes.asSystem.call(notes, 'why')`, 'notes', null],
    [`asSystem('why')`, '(an unnamed expression)', null],
    [`const key = 'asSystem'`, '(an unnamed expression)', null],
    [`Reflect.get(notes, 'asSystem')`, '(an unnamed expression)', null],
  ])('finds %j', (text, what, why) => {
    expect(uses(text)).toEqual([
      { file: 'app/notes/x.ts', line: expect.any(Number) as number, kind: 'system', what, why },
    ])
  })

  it.each([
    `const url = 'https://example.org/'; notes.asSystem('why')`,
    `const from = '/*'\nnotes.asSystem('why')\nconst to = '*/'`,
    'const text = `\n// ${notes.asSystem("why")}`',
    `const slashes = /[/*]/; notes.asSystem('why') // */`,
    `/* a comment before */ notes.asSystem('why')`,
  ])('finds a use behind what looks like a comment: %j', (text) => {
    expect(uses(text)).toMatchObject([{ what: 'notes', why: 'why' }])
  })

  it('finds nothing in comments, nor in the middle of a name or a string', () => {
    const text = `// notes.asSystem('why')
      const asSystematic = 1 // notes.asSystem('why')
      /**
       * notes.asSystem('why')
       */
      console.log('Use notes.asSystem(reason).', \`notes.asSystem('why')\`, /asSystem/)`
    expect(uses(text)).toEqual([])
  })
})
