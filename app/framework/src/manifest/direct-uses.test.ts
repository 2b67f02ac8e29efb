import { describe, expect, it } from 'vitest'
import { directUseInWords, directUses } from './direct-uses.ts'

// The test of the package's own imports must not find these imports in the text of this file.
const [IMPORT, FROM, REQUIRE] = ['import', 'from', 'require']

const usesIn = (text: string, file = 'app/notes/x.ts') => directUses([{ file, text }], ['notes', 'users'])
const foundIn = (text: string, file?: string) => usesIn(text, file).map(({ kind, what }) => [kind, what])

describe('directUses', () => {
  it.each([
    [`await database().selectFrom('notes').selectAll().execute()`, ['notes']],
    [`const db = database()\ndb.selectFrom('public.notes as n')`, ['notes']],
    [`db.selectFrom(['notes', 'leaves', 'users as u'])`, ['notes', 'users']],
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
    expect(foundIn(text)).toEqual([['without plugins', 'withoutPlugins']])
  })

  it.each([
    [`import { withTenant } from 'pergola'\nwithTenant(1, work)`, 'withTenant'],
    [`import { withAllTenants as all } from 'pergola'`, 'withAllTenants'],
    [`pergola.withAllTenants(work)`, 'withAllTenants'],
    [`pergola['withTenant'](1, work)`, 'withTenant'],
    [`contextOf(session, { registry, tenant: 2 })`, 'contextOf'],
    [`contextOf(session, { 'tenant': 2 } as Parts)`, 'contextOf'],
    [`pergola.contextOf(session, { tenant })`, 'contextOf'],
    [`contextOf(session, { ...parts })`, 'contextOf'],
    [`contextOf(session, { [key]: 2 })`, 'contextOf'],
    [`contextOf(session, parts)`, 'contextOf'],
    [`const make = contextOf`, 'contextOf'],
    [`import { contextOf as make } from 'pergola'`, 'contextOf'],
  ])('finds the tenant that %j chooses', (text, name) => {
    expect(foundIn(text)).toEqual([['tenant', name]])
  })

  it('finds no tenant in contexts without one', () => {
    const text = `import { contextOf } from 'pergola'
      contextOf(null)
      contextOf(session, { registry, 'db': database })`
    expect(foundIn(text)).toEqual([])
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
      import { database } ${FROM} 'pergola'
      import { task } ${FROM} 'pergola/tasks'
      import { lockWait } ${FROM} 'pergola/testing'
      import { explain } ${FROM} 'pergola/manifest'
      import { own } ${FROM} '../frameworks/src.ts'
      await ${IMPORT}('youch')
      database().selectFrom('sessions as notes').where(sql<boolean>\`now() > 'select' /* select */\`)
      database().insertInto('sessions').values({ at: sql\`now()\` })
      Array.from('note').concat(Buffer.from(text))
      console.log('Use withoutPlugins().', 'a select from notes')`
    expect(usesIn(text)).toEqual([])
  })

  it('returns the line of each use, and reports a file that it can’t parse', () => {
    const text = `db\n  .selectFrom('notes')\n  .innerJoin('users', on)\n\nsql\`select 1\``
    expect(usesIn(text).map(({ line, what }) => [line, what])).toEqual([
      [2, 'notes'],
      [3, 'users'],
      [5, 'select 1'],
    ])
    expect(usesIn('const one = 1\ndb.selectFrom(')).toEqual([
      { file: 'app/notes/x.ts', line: 2, kind: 'unreadable', what: '(a file that does not parse)' },
    ])
  })
})

describe('directUseInWords', () => {
  it.each([
    ['table', 'notes', 'reads the table notes past its repository'],
    ['table', '(not a literal)', 'reads a table whose name is not a literal'],
    ['sql', 'select 1', 'selects with raw SQL: select 1'],
    ['sql', '(not a literal)', 'selects with raw SQL: (not a literal)'],
    ['import', 'pergola/src/x.ts', 'imports pergola/src/x.ts, which is not an entry of the framework'],
    ['import', '(not a literal)', 'imports a module whose name is not a literal'],
    ['without plugins', 'withoutPlugins', 'uses withoutPlugins'],
    ['tenant', 'withAllTenants', 'chooses a tenant with withAllTenants'],
    ['unreadable', '(a file that does not parse)', 'does not parse, so its queries are unknown'],
  ] as const)('describes %s %s', (kind, what, words) => {
    expect(directUseInWords({ kind, what })).toBe(words)
  })
})
