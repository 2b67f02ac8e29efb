import { describe, expect, it } from 'vitest'
import { testDatabase } from 'pergola/testing'
import { execute, schemaNamed } from '../../test-support/stored-schema.ts'
import { root } from '../../test/tools.ts'
import { existingIn } from '../existing.ts'
import { namesOf } from '../read/names.ts'
import { otherColumnsOf } from './from-options.ts'
import { linesInWords, schemaLines } from './from-schema.ts'
import { longTexts } from './long-texts.ts'
import { wordsOfTable } from './read-table.ts'
import { storedTables } from './stored-tables.ts'

const existing = await existingIn(root)
const [pagila, northwind] = [await testDatabase(), await testDatabase()]
await execute(pagila.db, schemaNamed('pagila'))
await execute(northwind.db, schemaNamed('northwind'))

const KEY = 'id bigint primary key generated always as identity'
const REFUSED = [
  [
    'a table without a primary key',
    'create table entries (name text)',
    'entries has no primary key. Add one: alter table entries add column id bigint generated always as identity primary key',
  ],
  [
    'a name in upper case',
    `create table "OrderLines" (${KEY})`,
    'OrderLines is not a name in lower case: alter table "OrderLines" rename to order_lines',
  ],
  [
    'a created_at that is not a time',
    `create table entries (${KEY}, created_at bigint)`,
    'entries.created_at has the type bigint, and a resource has a time. Rename it: alter table entries rename column created_at to created',
  ],
  [
    'a time without a zone that a view uses',
    `create table entries (${KEY}, at timestamp default now()); create view recent as select at from entries`,
    'The type of entries.at must change, which view recent prevents: drop it first, and create it again after the command.',
  ],
  [
    'a padded text that a generated column uses',
    `create table entries (${KEY}, code char(5), short text generated always as (trim(code)) stored)`,
    'The type of entries.code must change, which column short of table entries prevents: drop it first, and create it again after the command.',
  ],
  [
    'another column named id',
    'create table entries (code bigint primary key, id text)',
    'entries has a column id that is not its key. Rename it: alter table entries rename column id to other_id',
  ],
  [
    'a required column of another type',
    `create table entries (${KEY}, place point not null)`,
    'entries.place has the type point, which no field has, and it needs a value: let it be null, or give it a default.',
  ],
  [
    'a required secret',
    `create table entries (${KEY}, password_hash text not null)`,
    'entries.password_hash is a secret, which no form shows, and it needs a value: let it be null, or give it a default.',
  ],
  [
    'the singular of a resource',
    `create table post (${KEY})`,
    "post can't be scaffolded: Post already exists, with the table posts. Use another name: npx cli scaffold my_post --from-table post",
  ],
] as const

/** Returns the words for a table, next to resources of these tables. */
async function wordsOf(
  db: typeof pagila.db,
  name: string,
  resources: readonly string[] = [],
  fields: readonly string[] = [],
) {
  const tables = await storedTables(db)
  const table = tables.find((one) => one.name === name)
  if (table === undefined) throw new Error(`The database has no ${name}.`)
  const targets = resources.map((one) => ({
    names: namesOf(namesOf(one).file, { plural: one }),
    label: 'id',
    id: 'bigint' as const,
    isUser: false,
    isSelf: false,
  }))
  return wordsOfTable(
    table,
    { name: '', fields, options: {} },
    {
      tables,
      long: await longTexts(db, table),
      existing: { ...existing, targets: [...existing.targets, ...targets] },
    },
  )
}

describe('storedTables', () => {
  it('returns only the tables and views of the current schema', async () => {
    const { db } = await testDatabase()
    await execute(
      db,
      `create table entries (${KEY}, title text);
      create schema archive; create table archive.entries (${KEY}, year integer);
      create view archive.recent_entries as select year from archive.entries`,
    )
    const tables = (await storedTables(db)).filter(({ name }) => name.endsWith('entries'))
    expect(tables.map(({ name, columns }) => [name, ...columns.map(({ column }) => column)])).toEqual([
      ['entries', 'id', 'title'],
    ])
  })
})

describe('wordsOfTable', () => {
  it('reads types, limits, defaults and references', async () => {
    const { args, notes } = await wordsOf(pagila.db, 'film', ['language'])
    expect(args).toMatchInlineSnapshot(`
      {
        "fields": [
          "title:string",
          "description:text?",
          "release_year:integer{1901..2155}?",
          "language:references",
          "original_language:references:language?",
          "rental_duration:integer{-32768..32767}=3",
          "rental_rate:decimal{4,2}=4.99",
          "length:integer{-32768..32767}?",
          "replacement_cost:decimal{5,2}=19.99",
          "rating:enum{G,PG,PG-13,R,NC-17}?=G",
        ],
        "name": "film",
        "options": {
          "fromTable": "film",
          "otherColumns": "[{"name":"last_update","type":"Generated<string>"},{"name":"special_features","type":"readonly string[] | null"},{"name":"fulltext","type":"Generated<string>"}]",
          "plural": "film",
          "softDelete": false,
          "version": false,
        },
      }
    `)
    expect(notes).toMatchInlineSnapshot(`
      [
        "film.special_features (text[]) has no field: pages don't show it, and it keeps its value.",
        "film.fulltext (tsvector) has no field: pages don't show it, and it keeps its value.",
      ]
    `)
  })

  it('reads a table with a version, a trash, secrets and other types', async () => {
    const { db } = await testDatabase()
    await execute(db, ACCOUNTS)
    const { args, adaptations, notes } = await wordsOf(db, 'accounts')
    expect(args).toMatchInlineSnapshot(`
      {
        "fields": [
          "code:string^",
          "token:string?:private",
          "level:integer{1..5}",
          "price:decimal{8,2}{0.01..}",
          "state:enum{open,closed}=open",
          "note:text?",
          "seen_at:datetime?",
          "is_new:boolean",
          "big_id:integer?",
          "big:bigint=0",
          "company_name:string{..20}",
        ],
        "name": "account",
        "options": {
          "fromTable": "accounts",
          "id": "uuid",
          "otherColumns": "[{"name":"action","type":"string | null"},{"name":"twice","type":"GeneratedAlways<number | null>"}]",
          "softDelete": true,
          "version": true,
        },
      }
    `)
    expect(adaptations.map(({ up }) => up)).toMatchInlineSnapshot(`
      [
        "alter table accounts alter column id set default gen_random_uuid()",
        "alter table accounts alter column created_at type timestamptz using created_at at time zone 'UTC'",
        "alter table accounts alter column seen_at type timestamptz using seen_at at time zone 'UTC'",
        "alter table accounts alter column is_new set default false",
        "update accounts set is_new = false where is_new is null",
        "alter table accounts alter column is_new set not null",
        "alter table accounts rename column "companyName" to company_name",
      ]
    `)
    expect(notes).toMatchInlineSnapshot(`
      [
        "The form of accounts does not know this constraint: CHECK ((note <> 'x'::text))",
        "accounts.action (text) has no field: pages don't show it, and it keeps its value.",
        "accounts.twice (integer) has no field: pages don't show it, and it keeps its value.",
      ]
    `)
  })

  it('prefers the fields of the command line, also for a column that would be refused', async () => {
    const { db } = await testDatabase()
    await execute(db, `create table entries (${KEY}, title text, password_hash text not null)`)
    const fields = ['password_hash:string{60}', 'title:text?']
    expect((await wordsOf(db, 'entries', [], fields)).args.fields).toEqual(fields)
  })

  it('reads texts of several lines, also short and unique ones, as long texts', async () => {
    const { db } = await testDatabase()
    await execute(db, `create table entries (${KEY}, address varchar(200), note text unique, name text)`)
    await execute(db, `insert into entries (address, note) values (E'1\\n2', E'1\\n2')`)
    expect((await wordsOf(db, 'entries')).args.fields).toEqual([
      'address:text{..200}?',
      'note:text?',
      'name:string?',
    ])
  })

  it('reads only a check that lists texts, and nothing else, as an enum', async () => {
    const { db } = await testDatabase()
    await execute(
      db,
      `create table entries (${KEY}, level integer check (level in (1, 2)), kind varchar(9) check (kind in ('a', 'b')),
        state text check (state in ('a', 'b') or state like 'x%'))`,
    )
    const { args, notes } = await wordsOf(db, 'entries')
    expect(args.fields).toEqual(['level:integer?', 'kind:enum{a,b}?', 'state:string?'])
    expect(notes).toHaveLength(2)
  })

  it('keeps labels with any character in the types of other columns', async () => {
    const { db } = await testDatabase()
    await execute(db, `create table entries (${KEY}, state text check (state in ('p; q', 'r: s')))`)
    const { args } = await wordsOf(db, 'entries')
    expect(otherColumnsOf(args.options)).toEqual([{ name: 'state', type: "'p; q' | 'r: s' | null" }])
  })

  it('renames the columns of every resource from camel case', async () => {
    const { db } = await testDatabase()
    const times = '"createdAt" timestamptz not null default now(), "deletedAt" timestamptz'
    await execute(db, `create table entries (${KEY}, title text, ${times})`)
    const { args, adaptations } = await wordsOf(db, 'entries')
    expect(args).toMatchObject({ fields: ['title:string?'], options: { softDelete: true } })
    expect(adaptations.map(({ up }) => up)).toEqual([
      'alter table entries rename column "createdAt" to created_at',
      'alter table entries rename column "deletedAt" to deleted_at',
    ])
  })

  it('reads only the limits that a field can have, and names the other checks', async () => {
    const { db } = await testDatabase()
    await execute(
      db,
      `create table entries (${KEY}, amount numeric check (amount > 0), small numeric(5, 2) check (small > 0.05),
        code text check (code >= '20'), half integer check (half > 1.5), sizes numeric(5, 2)[], title text check (length(title) < 51),
        big bigint check (big < 9223372036854775807), essay text check (char_length(essay) <= 2000), at date check (at > '2001-01-01'))`,
    )
    const { args, notes } = await wordsOf(db, 'entries')
    expect(args.fields).toEqual([
      'amount:decimal{38,10}?',
      'small:decimal{5,2}{0.06..}?',
      'code:string?',
      'half:integer?',
      'title:string{..50}?',
      'big:bigint?',
      'essay:text{..2000}?',
      'at:date?',
    ])
    const checks = notes.filter((note) =>
      note.startsWith('The form of entries does not know this constraint:'),
    )
    expect(checks).toHaveLength(5)
  })

  it('reads a key to a table of another schema as a plain column', async () => {
    const { db } = await testDatabase()
    await execute(db, `create schema auth; create table auth.users (${KEY})`)
    await execute(db, `create table entries (${KEY}, title text, user_id bigint references auth.users)`)
    expect((await wordsOf(db, 'entries', ['users'])).args.fields).toEqual([
      'title:string?',
      'user_id:integer?',
    ])
  })

  it.each([
    [
      'a field',
      { fields: ['extra:string?'] },
      'entries has no column for extra:string?. Scaffold without it,',
    ],
    [
      'a type',
      { fields: ['title:integer'] },
      'title:integer does not fit entries.title, whose type is text:',
    ],
    [
      'a text',
      { fields: ['level:unique'] },
      'level:unique does not fit entries.level, whose type is integer:',
    ],
    [
      'a trash',
      { options: { softDelete: true } },
      'entries has no column deleted_at that --soft-delete can use:',
    ],
    ['a version', { options: { version: true } }, 'entries has no column version that --version can use:'],
    ['an id', { options: { id: 'uuid' } }, 'The ids of entries are of another type: leave --id out.'],
  ])('refuses %s on the command line that the table does not have', async (_, words, sentence) => {
    const { db } = await testDatabase()
    await execute(db, `create table entries (${KEY}, title text, level integer)`)
    const tables = (await storedTables(db)).filter(({ name }) => name === 'entries')
    const given = { name: 'entry', fields: [], options: {}, ...words }
    expect(() => tables.map((one) => wordsOfTable(one, given, { tables, existing }))).toThrow(sentence)
  })

  it('lists the changes that a resource needs', async () => {
    const { adaptations } = await wordsOf(northwind.db, 'orders', ['employees', 'shippers'])
    expect(adaptations).toMatchInlineSnapshot(`
      [
        {
          "down": "alter table orders rename column id to order_id",
          "up": "alter table orders rename column order_id to id",
        },
        {
          "down": "alter table orders alter column id drop identity",
          "up": "alter table orders alter column id add generated by default as identity",
        },
        {
          "down": null,
          "up": "select setval(pg_get_serial_sequence('orders', 'id'), coalesce(max(id), 0) + 1, false) from orders",
        },
        {
          "down": "alter table orders drop column created_at",
          "up": "alter table orders add column created_at timestamptz not null default now()",
        },
        {
          "down": null,
          "up": "create index orders_created_at_sort on orders (created_at, id)",
        },
        {
          "down": "alter table orders rename column ship_via_id to ship_via",
          "up": "alter table orders rename column ship_via to ship_via_id",
        },
      ]
    `)
  })
})

describe('schemaLines', () => {
  it('prints the commands for Pagila, parents first', async () => {
    expect(linesInWords(schemaLines(await storedTables(pagila.db), existing))).toMatchInlineSnapshot(`
      "npx cli scaffold --from-table actor --adapt
      # actor_info is a view, and a resource needs a table: scaffold the tables that it reads.
      npx cli scaffold --from-table country --adapt
      npx cli scaffold --from-table city --adapt
      npx cli scaffold --from-table address --adapt
      npx cli scaffold --from-table category --adapt
      # staff.store_id is of type integer, not a reference: store is not a resource yet, or this is not its id. If staff is empty, remove its seed from app/resources.ts.
      # staff.picture (bytea) has no field: pages don't show it, and it keeps its value.
      npx cli scaffold --from-table staff --adapt
      npx cli scaffold --from-table store --adapt
      npx cli scaffold --from-table customer --adapt
      npx cli scaffold --from-table language --adapt
      # film.special_features (text[]) has no field: pages don't show it, and it keeps its value.
      # film.fulltext (tsvector) has no field: pages don't show it, and it keeps its value.
      npx cli scaffold --from-table film --adapt
      # film_actor joins actor and film: declare it as a list of one of them, see docs/recipes/many-to-many.md.
      # film_category joins film and category: declare it as a list of one of them, see docs/recipes/many-to-many.md.
      npx cli scaffold --from-table inventory --adapt
      npx cli scaffold --from-table rental --adapt
      npx cli scaffold --from-table payment --adapt"
    `)
  })

  it('prints the commands for Northwind, with the remedies', async () => {
    expect(linesInWords(schemaLines(await storedTables(northwind.db), existing))).toMatchInlineSnapshot(`
      "# categories.picture (bytea) has no field: pages don't show it, and it keeps its value.
      npx cli scaffold --from-table categories --adapt
      # customers has a key of the type character varying(5), and a resource has a number or a uuid. Add one, and keep the key unique: alter table customers drop constraint pk_customers cascade, add unique (customer_id), add column id bigint generated always as identity primary key; alter table orders add foreign key (customer_id) references customers (customer_id)
      # employees.photo (bytea) has no field: pages don't show it, and it keeps its value.
      npx cli scaffold --from-table employees --adapt
      npx cli scaffold --from-table region --adapt
      # territories has a key of the type character varying(20), and a resource has a number or a uuid. Add one, and keep the key unique: alter table territories drop constraint pk_territories cascade, add unique (territory_id), add column id bigint generated always as identity primary key; alter table employee_territories add foreign key (territory_id) references territories (territory_id)
      # employee_territories joins employees and territories: declare it as a list of one of them, see docs/recipes/many-to-many.md.
      npx cli scaffold --from-table shippers --adapt
      # orders.customer_id is of type string, not a reference: customers is not a resource yet, or this is not its id. If orders is empty, remove its seed from app/resources.ts.
      npx cli scaffold --from-table orders --adapt
      npx cli scaffold --from-table suppliers --adapt
      npx cli scaffold --from-table products --adapt
      # order_details has a key of 2 columns, and a resource has a number or a uuid. Add one, and keep the key unique: alter table order_details drop constraint pk_order_details, add unique (order_id, product_id), add column id bigint generated always as identity primary key"
    `)
  })
})

describe('linesInWords', () => {
  it('comments out each line of a sentence', () => {
    const line = { table: 'entries', command: 'npx cli', sentences: ["CHECK (title <> 'x\nrm -rf .')"] }
    expect(linesInWords([line])).toBe("# CHECK (title <> 'x\n# rm -rf .')\nnpx cli")
  })
})

describe('refusals', () => {
  it.each(REFUSED)('refuses %s', async (_, statement, sentence) => {
    const { db } = await testDatabase()
    await execute(db, statement)
    const lines = schemaLines(await storedTables(db), existing)
    expect(lines).toContainEqual({ table: expect.any(String), command: null, sentences: [sentence] })
  })
})

const ACCOUNTS = `
  create table accounts (id uuid primary key, code text not null unique, token text, created_at timestamp not null default now(),
    version integer not null default 1, deleted_at timestamptz, level smallint not null check (level between 1 and 5),
    price numeric(8, 2) not null check (price > 0), state text not null default 'open' check (state in ('open', 'closed')),
    note text check (note <> 'x'), seen_at timestamp, is_new boolean, big_id bigint, big bigint not null default 0,
    "companyName" varchar(20) not null, action text, twice integer generated always as (level * 2) stored)`
