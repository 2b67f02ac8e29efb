import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testProject } from '../../test-support/test-project.ts'
import { destroy } from '../destroy-resource.ts'
import type { Target } from '../field-types/field-type.ts'
import type { Project } from '../project/project.ts'
import { namesOf } from '../read/names.ts'
import { askedBy } from '../read/options.ts'
import { scaffold, type ScaffoldFlags } from '../scaffold-resource.ts'
import { changeResource } from './change-resource.ts'
import type { ChangeOptions } from './change-options.ts'
import { confirmValues } from './values-at-risk.ts'

const project = await testProject()
const before = project.files()
const at = (path: string) => join(project.root, path)
const read = (path: string) => readFileSync(at(path), 'utf8')

const gadget: Target = {
  names: namesOf('gadget'),
  label: 'title',
  id: 'bigint',
  isUser: false,
  isSelf: false,
}
/** A project without child processes. */
const quick: Project = {
  ...project,
  manifest: () => Promise.resolve(read('security.manifest.json')),
  async existing() {
    const existing = await project.existing()
    return existsSync(at('app/gadgets/scaffold.json'))
      ? { ...existing, targets: [...existing.targets, gadget] }
      : existing
  },
}

const wordsOf = (command: string) =>
  command.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? []
const make = (command: string, flags?: ScaffoldFlags) => {
  later()
  return scaffold(quick, askedBy(wordsOf(command)), flags)
}
const change = (changes: ChangeOptions, more = '', flags?: ScaffoldFlags) => {
  later()
  return changeResource(quick, { args: askedBy(['gadget', ...wordsOf(more)]), changes }, flags)
}

/** The files besides the migrations, and without the digests of all files. */
function code(): Record<string, string> {
  const files = Object.entries(project.files()).filter(([path]) => !path.includes('/app/db/'))
  return Object.fromEntries(
    files.map(([path, text]) => [
      path,
      path.endsWith('scaffold.json') ? JSON.stringify(JSON.parse(text).command) : text,
    ]),
  )
}
/** A removed column comes back without values. */
const nullable = (lines: readonly string[], { remove = [] }: ChangeOptions) =>
  lines.map((line) =>
    remove.some((name) => line.includes(`.${name} `)) ? line.replace(' not null', '') : line,
  )

const state = async () => ({ code: code(), catalog: await tables() })

/** Postgres 18 also names a NOT NULL, and keeps the name. */
const tables = async () => (await project.catalog()).filter((line) => !line.includes('_not_null NOT NULL '))

function edit(path: string, from: string, to: string): void {
  expect(read(path)).toContain(from)
  writeFileSync(at(path), read(path).replace(from, to))
}

// Node imports a file once, so that each migration needs a name of its own: an hour passes before each command.
let hours = 0
const later = () => vi.setSystemTime(new Date(Date.UTC(2030, 0, 1, (hours += 1))))
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const isOwn = (migration: string) => {
  const path = at(`app/db/migrations/${migration}.ts`)
  return existsSync(path) && !(path in before)
}

/** Restores the files and the tables after each test. */
afterEach(async () => {
  const now = project.files()
  for (const [path, text] of Object.entries(before)) if (now[path] !== text) writeFileSync(path, text)
  await project.inDatabase(async (database) => {
    const own = (await database.states()).filter(({ name, executed_at }) => executed_at && isOwn(name))
    if (own.length > 0) await database.rollback(own.length)
  })
  for (const path of Object.keys(now)) if (!(path in before)) rmSync(path)
})

const TITLE = 'title:string body:text?'

/** The fields before, the change, and the fields that give the same resource. */
const SAME: readonly [fields: string, changes: ChangeOptions, result: string][] = [
  [`${TITLE} due:date?`, { rename: ['due:due_on'] }, `${TITLE} due_on:date?`],
  ['title body:text', { rename: ['title:name'] }, 'name body:text'],
  [
    "slug^ title 'level:integer{1..9}=3'",
    { rename: ['slug:path', 'level:rank'] },
    "path^ title 'rank:integer{1..9}=3'",
  ],
  ['title body', { remove: ['body'] }, 'title'],
  [
    'title body:text done:boolean author:references:user --public-when done',
    { remove: ['done'] },
    'title body:text author:references:user',
  ],
  [
    'title a:integer b:integer c:integer d:integer e:integer f:integer',
    { remove: ['b'] },
    'title a:integer c:integer d:integer e:integer f:integer',
  ],
  ['title level:integer', { type: ['level:decimal:8,2'] }, 'title level:decimal:8,2'],
  ['title level:integer?', { type: ['level:bigint'] }, 'title level:bigint:null'],
  ['title body:text?', { type: ['body:string:1..80'] }, 'title body:string:1..80:null'],
  ['title state:enum{a,b}=a', { type: ['state:enum{a,b,c}'] }, 'title state:enum{a,b,c}=a'],
  ['title state:enum{a,b}', { type: ['state:string'] }, 'title state:string'],
  ['title due:datetime:index', { type: ['due:date'] }, 'title due:date:index'],
  ['title count:string', { type: ['count:integer=1'] }, 'title count:integer=1'],
  ['title body:text?', { require: ['body'] }, 'title body:text'],
  ["title 'level:integer:null'", { require: ['level'] }, 'title level:integer'],
  ['title', { rename: ['title:Name'], type: ['name:text'] }, 'name:text'],
  ['title author:references:user', { rename: ['author:writer'] }, 'title writer:references:user'],
  [
    'title author:references:user',
    { type: ['author:references:user{cascade}'] },
    'title author:references:user{cascade}',
  ],
  ['title parent:references:self?', { rename: ['parent:above'] }, 'title above:references:self?'],
  ['title due:datetime --cursor due', { rename: ['due:due_at'] }, 'title due_at:datetime --cursor due_at'],
  ['title slug^ --soft-delete --id uuid', { rename: ['slug:path'] }, 'title path^ --soft-delete --id uuid'],
  ['title', { rename: ['title:name'] }, 'name'],
  [
    'title fans:many:user peers:many:self:ordered',
    { rename: ['fans:watchers', 'peers:twins'] },
    'title watchers:many:user twins:many:self:ordered',
  ],
  ['title fans:many:user:ordered body:text', { remove: ['fans'] }, 'title body:text'],
  [
    'title price:decimal quantity:integer total:decimal:as(price*quantity)',
    { rename: ['price:cost', 'total:amount'] },
    'title cost:decimal quantity:integer amount:decimal:as(cost*quantity)',
  ],
  [
    'title rank:integer total:integer:as(rank*2)',
    { rename: ['rank:order'] },
    'title order:integer total:integer:as(order*2)',
  ],
  [
    'title price:decimal total:decimal:as(price*2)',
    { remove: ['total'], type: ['price:integer'] },
    'title price:integer',
  ],
  ['title room slug:unique(room)', { rename: ['room:place'] }, 'title place slug:unique(place)'],
  [
    'title room hall slug:unique(hall,room) --soft-delete',
    { rename: ['room:place', 'slug:path'] },
    'title place hall path:unique(hall,place) --soft-delete',
  ],
  ['title room slug:unique(room)', { remove: ['room', 'slug'] }, 'title'],
  ['title room slug:unique(room)', { type: ['slug:string'] }, 'title room slug:string:unique(room)'],
  [
    'title labels:string[]{5} days:enum[]{mon,tue} spots:string[]',
    { rename: ['labels:words'], type: ['days:enum[]{mon,tue,wed}'], remove: ['spots'] },
    'title words:string[]{5} days:enum[]{mon,tue,wed}',
  ],
  [
    'title fans:many:user owner:references:user --editors fans',
    { rename: ['fans:members'] },
    'title members:many:user owner:references:user --editors members',
  ],
  [
    'title fans:many:user owner:references:user --editors fans',
    { remove: ['fans'] },
    'title owner:references:user',
  ],
  ['title price:decimal:8,2', { type: ['price:money{EUR}'] }, 'title price:money{EUR}'],
  ['title price:money:JPY', { type: ['price:decimal'] }, 'title price:decimal'],
  [
    'title price:money(currency) currency:enum{EUR,USD}',
    { type: ['currency:enum{EUR,JPY,BHD}'] },
    'title price:money(currency) currency:enum{EUR,JPY,BHD}',
  ],
  [
    'title price:decimal currency:enum{EUR,JPY}',
    { type: ['price:money(unit)'], rename: ['currency:unit'] },
    'title price:money(unit) unit:enum{EUR,JPY}',
  ],
  [
    'title price:money(currency) tax:money(currency)? currency:enum{EUR,JPY}',
    { rename: ['currency:unit'], require: ['tax'] },
    'title price:money(unit) tax:money(unit) unit:enum{EUR,JPY}',
  ],
  [
    'title price:money(currency) tax:money(currency) currency:enum{EUR,JPY}',
    { rename: ['price:cost'], remove: ['tax'] },
    'title cost:money(currency) currency:enum{EUR,JPY}',
  ],
  ['title currency:enum{EUR,JPY} price:money(currency)', { remove: ['currency', 'price'] }, 'title'],
  [
    'title price:money(currency) currency:enum{EUR,JPY}',
    { type: ['price:money{EUR}'], remove: ['currency'] },
    'title price:money{EUR}',
  ],
]

describe('scaffold --rename, --remove, --type and --require', () => {
  it.each(SAME)('gadget %s with %j is gadget %s, and back', async (fields, changes, result) => {
    await make(`gadget ${result}`)
    const wanted = await state()
    await destroy(quick, 'gadget')
    await make(`gadget ${fields}`)
    const old = await tables()
    const { migrations, notes } = await change(changes)
    expect(await state()).toEqual(wanted)
    expect(notes.at(-1)).toMatch(/^The version that runs now/)
    await project.inDatabase((database) => database.rollback(migrations.length))
    expect(nullable(await tables(), changes)).toEqual(nullable(old, changes))
    await project.inDatabase((database) => database.migrate())
    await destroy(quick, 'gadget')
    expect(code()).toEqual(
      Object.fromEntries(Object.entries(before).filter(([path]) => !path.includes('/app/db/'))),
    )
  })

  it('keeps the owner, the label and the readers, whatever the new names suggest', async () => {
    await make(
      'gadget title subject author:references:user reviewer:references:user open:boolean --public-when open',
    )
    const { model } = await change({ rename: ['author:writer', 'title:heading', 'open:shown'] })
    expect([model.owner?.name, model.label?.name, model.readers]).toMatchObject([
      'writer',
      'heading',
      { when: { name: 'shown' } },
    ])
    expect(read('app/gadgets/scaffold.json')).toContain('"--owner"')
  })

  it.each(['', ' --soft-delete'])(
    'renames a key of several columns%s, and builds no index',
    async (option) => {
      await make(`gadget title room slug:unique(room)${option}`)
      const { migrations } = await change({ rename: ['room:place'] })
      const migration = read(`app/db/migrations/${migrations[0]}.ts`)
      expect(migration).toContain('gadgets_room_slug_unique')
      expect(migration).toContain('gadgets_place_slug_unique')
      expect(migration).not.toMatch(/dropConstraint|dropIndex|addUniqueConstraint|createIndex/)
    },
  )

  it('gives a resource without an owner none', async () => {
    await make('gadget title first:references:user second:references:user')
    const { model } = await change({ rename: ['second:owner'] })
    expect(model.owner).toBeNull()
  })

  it('adds fields and options with the same command', async () => {
    await make('gadget title body:text')
    const { migrations } = await change({ rename: ['body:text_of_it'] }, 'weight:integer? --public-read')
    expect(migrations).toEqual([
      expect.stringContaining('_rename_body_to_text_of_it_of_gadgets'),
      expect.stringContaining('_add_weight_to_gadgets'),
    ])
    expect(read('app/gadgets/gadget.ts')).toContain('weight: field.integer()')
  })

  it('changes nothing with --dry-run', async () => {
    await make('gadget title body:text')
    const made = await state()
    const { steps } = await change({ remove: ['body'] }, '', { dryRun: true })
    expect(steps.some(({ verb }) => verb === 'change')).toBe(true)
    expect(await state()).toEqual(made)
  })
})

describe('an edited file', () => {
  it('keeps the edits, also in the lines of the change', async () => {
    await make('gadget title body:text author:references:user')
    edit('app/gadgets/gadget.ts', 'body: field.text(),', 'body: field.text({ max: 500 }),')
    edit('views/gadgets/_form.eta', "label: 'Body'", "label: 'What it does'")
    edit('app/gadgets/gadget.policy.ts', '=> ctx.owns', '=> /* mine */ ctx.owns')
    const { steps, places } = await change({ rename: ['body:purpose'] })
    expect(steps.filter(({ verb }) => verb === 'keep')).toEqual([])
    expect(read('app/gadgets/gadget.ts')).toContain('purpose: field.text({ max: 500 }),')
    expect(read('views/gadgets/_form.eta')).toContain("name: 'purpose', label: 'What it does'")
    expect(read('app/gadgets/gadget.policy.ts')).toContain('/* mine */')
    expect(places).toEqual(['views/gadgets/_form.eta  (you edited a word that changes: your text stays)'])
  })

  it('loses a removed field and nothing else, and is kept if the edit is in the same line', async () => {
    await make('gadget title body:text? due:date? author:references:user done:boolean --public-when done')
    edit('app/gadgets/gadget.ts', "'due', 'created_at']", "'due', 'created_at', 'id']")
    edit('views/gadgets/show.eta', '<div class="record">', '<div class="record mine">')
    edit('app/gadgets/gadget.policy.ts', "is.or([is('done'", "is.or([is('title', '=', 'open'), is('done'")
    const policy = read('app/gadgets/gadget.policy.ts')
    const { steps } = await change({ remove: ['due', 'done'] })
    expect(steps.filter(({ verb }) => verb === 'keep').map(({ path }) => path)).toEqual([
      'app/gadgets/gadget.ts',
      'app/gadgets/gadget.policy.ts',
    ])
    expect(read('views/gadgets/show.eta')).toContain('record mine')
    expect(read('app/gadgets/gadget.policy.ts')).toBe(policy)
  })

  it('is kept if it is not UTF-8', async () => {
    await make('gadget title body:text')
    const text = Buffer.from(
      read('app/gadgets/gadget.ts').replace('body: field.text()', 'body: field.text() /* é */'),
      'latin1',
    )
    writeFileSync(at('app/gadgets/gadget.ts'), text)
    await change({ rename: ['body:story'] })
    expect(readFileSync(at('app/gadgets/gadget.ts'))).toEqual(text)
  })
})

describe('values', () => {
  const rows = (values: string) => project.sql(`insert into gadgets (title, level) values ${values}`)
  const terminal = (answer: string) => {
    const input = Object.assign(new PassThrough(), { isTTY: true })
    input.write(`${answer}\n`)
    return { input, output: new PassThrough() }
  }

  it.each([
    [{ remove: ['level'] }, '2 rows have a value in level, which is deleted.'],
    [{ type: ['level:integer'] }, '2 rows have a value of level that changes as integer.'],
  ])('asks before %j', async (changes, sentence) => {
    await make('gadget title level:string')
    await rows("('a', '007'), ('b', '08')")
    const made = await state()
    await expect(change(changes)).rejects.toMatchObject({
      code: 4,
      message: expect.stringContaining(sentence),
    })
    expect(await state()).toEqual(made)
    await change(changes, '', { force: true })
    expect(await state()).not.toEqual(made)
  })

  it('asks before the pairs of a join table are lost', async () => {
    await make('gadget title fans:many:user')
    await project.sql("insert into gadgets (title) values ('a'), ('b')")
    await project.sql(
      "insert into users (name, email, password_digest) values ('Fan', 'fan@example.test', '')",
    )
    await project.sql(
      "insert into gadget_fans select gadgets.id, users.id from gadgets, users where title = 'a' limit 1",
    )
    await expect(change({ remove: ['fans'] })).rejects.toThrow(
      'One row has a value in fan_ids, which is deleted.',
    )
  })

  it.each([
    [{ type: ['level:integer'] }, "The values of level can't become integer"],
    [{ type: ['level:string:1..2'] }, '2 rows have a level that the new declaration does not allow.'],
    [{ type: ['level:enum{low,high}'] }, '2 rows have a level that'],
    [{ type: ['title:string^'] }, '2 rows have a title that another row has'],
    [{ require: ['level'] }, 'One row has no level.'],
  ])('refuses %j, also with --force', async (changes, sentence) => {
    await make('gadget title level:string?')
    await rows("('a', 'high up'), ('a', 'abc'), ('c', null)")
    const made = await state()
    await expect(change(changes, '', { force: true })).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining(sentence),
    })
    expect(await state()).toEqual(made)
  })

  it.each([{ type: ['level:money(currency)'] }, { type: ['level:money(unit)'], rename: ['currency:unit'] }])(
    'refuses amounts with too many decimal places for their currency: %j',
    async (changes) => {
      await make('gadget title level:decimal currency:enum{EUR,JPY}')
      await project.sql(
        "insert into gadgets (title, level, currency) values ('a', 1.5, 'EUR'), ('b', 1.5, 'JPY'), ('c', 2, 'JPY')",
      )
      await expect(change(changes)).rejects.toThrow(
        'One row has a level that the new declaration does not allow.',
      )
      await project.sql("update gadgets set level = 1 where title = 'b'")
      await change(changes)
      expect(read('app/gadgets/gadget.ts')).toContain('gadgets_level_amount: {')
    },
  )

  it.each([
    ['y', 'lost'],
    ['n', 'Nothing was changed.'],
    ['', 'Nothing was changed.'],
  ])('are lost after the answer %j only if it is yes', async (answer, result) => {
    const { model: was } = await make('gadget title level:string')
    await rows("('a', 'high')")
    const fields = was.fields.map((from) => ({ from, to: from.name === 'level' ? null : from }))
    const asked = project.inDatabase((database) =>
      confirmValues(database, was, { fields, force: false, terminal: terminal(answer) }),
    )
    const said = await asked.then(
      () => 'lost',
      (error: Error) => error.message,
    )
    expect(said).toBe(result)
  })

  it('keeps them in a renamed column and in one of another type', async () => {
    await make('gadget title level:string')
    await rows("('a', '7')")
    await change({ rename: ['level:rank'], type: ['rank:integer'] })
    expect(
      await project.db
        .selectFrom('gadgets' as never)
        .select('rank' as never)
        .execute(),
    ).toEqual([{ rank: 7 }])
  })
})

describe('--two-steps', () => {
  const second = () => Object.keys(project.files()).find((path) => path.includes('/app/db/later/')) ?? ''
  const finish = async () => {
    const path = second()
    writeFileSync(path.replace('/later/', '/migrations/'), readFileSync(path))
    rmSync(path)
    await project.inDatabase((database) => database.migrate())
  }
  const table = () =>
    project.db
      .selectFrom('gadgets' as never)
      .selectAll()
      .orderBy('id' as never)
      .execute()

  /** A join table and the check of an amount have the name of their field, and a computed column those of others. */
  const isOneStep = (fields: string, { rename = [] }: ChangeOptions) =>
    /:many:|:as\(|:money\(/.test(fields) && rename.length > 0

  it.each(SAME.filter(([fields, changes]) => !changes.type && !isOneStep(fields, changes)))(
    'gadget %s with %j ends as gadget %s',
    async (fields, changes, result) => {
      await make(`gadget ${result}`)
      const wanted = await state()
      await destroy(quick, 'gadget')
      await make(`gadget ${fields}`)
      const old = await tables()
      await change({ ...changes, twoSteps: true })
      expect(code()).toEqual(wanted.code)
      await finish()
      expect(await tables()).toEqual(wanted.catalog)
      const count = (await project.inDatabase((database) => database.states())).filter(({ name }) =>
        name.endsWith('gadgets'),
      ).length
      await project.inDatabase((database) => database.rollback(count - 1))
      expect(nullable(await tables(), changes)).toEqual(nullable(old, changes))
    },
  )

  it('copies values of the old version to the new column, and values of the new version to the old column', async () => {
    await make("gadget title 'level:string=low'")
    await project.sql("insert into gadgets (title, level) values ('before', 'mid')")
    await change({ rename: ['level:rank'], twoSteps: true })
    await project.sql("insert into gadgets (title, level) values ('old version', 'high')")
    await project.sql("insert into gadgets (title) values ('no value')")
    await project.sql("insert into gadgets (title, rank) values ('new version', 'top')")
    await project.sql("update gadgets set level = 'changed' where title = 'before'")
    await project.sql("update gadgets set rank = 'moved' where title = 'old version'")
    expect(await table()).toMatchObject([
      { level: 'changed', rank: 'changed' },
      { level: 'moved', rank: 'moved' },
      { level: 'low', rank: 'low' },
      { level: 'top', rank: 'top' },
    ])
    await finish()
    await project.sql("insert into gadgets (title) values ('after')")
    expect((await table()).at(-1)).toMatchObject({ rank: 'low' })
  })

  it('comes before any other change', async () => {
    await make('gadget title body:text')
    await change({ rename: ['body:story'], twoSteps: true })
    await expect(change({ rename: ['story:tale'] })).rejects.toThrow('finishes an earlier change of gadgets')
    await finish()
    await change({ rename: ['story:tale'] })
    expect(read('app/gadgets/gadget.ts')).toContain('tale: field.text()')
  })

  it('lets the old version write a removed field until the second migration', async () => {
    await make('gadget title body:text')
    await change({ remove: ['body'], twoSteps: true })
    await project.sql("insert into gadgets (title, body) values ('old', 'x')")
    await project.sql("insert into gadgets (title) values ('new')")
    await finish()
    expect(await table()).not.toContainEqual(expect.objectContaining({ body: 'x' }))
  })

  it('lets the old version write rows without a required value until the second migration', async () => {
    await make('gadget title body:text?')
    await change({ require: ['body'], twoSteps: true })
    await project.sql("insert into gadgets (title) values ('without')")
    await expect(finish()).rejects.toThrow('failed')
    await project.sql("update gadgets set body = 'x'")
    await project.inDatabase((database) => database.migrate())
    expect(await project.catalog()).toContainEqual(expect.stringMatching(/gadgets.body text not null/))
  })

  it('gives both versions the values of another type, which the old column may not have', async () => {
    await make("gadget title 'level:integer{1..9}'")
    await change({ rename: ['level:rank'], type: ['rank:decimal:8,2'], twoSteps: true })
    await project.sql("insert into gadgets (title, rank) values ('new', 1.5), ('newer', 123456)")
    await project.sql("insert into gadgets (title, level) values ('old', 3)")
    await project.sql("update gadgets set title = 'same'")
    const ranks = [{ rank: '1.50' }, { rank: '123456.00' }, { level: 3, rank: '3.00' }]
    expect(await table()).toMatchObject(ranks)
    await finish()
    await project.inDatabase((database) => database.rollback(1))
    expect(await table()).toMatchObject(ranks)
  })

  it('lets the new version write a value that the old declaration did not allow', async () => {
    await make("gadget title 'level:enum{a,b}=b' body:text")
    await change({ type: ['level:enum{b,c}', 'story:text?'], rename: ['body:story'], twoSteps: true })
    await project.sql("insert into gadgets (title, level) values ('new', 'c')")
    await project.sql("insert into gadgets (title, level, body) values ('old', 'a', 'x')")
    await expect(finish()).rejects.toThrow('failed')
    await project.sql("update gadgets set level = 'b' where level = 'a'")
    await project.inDatabase((database) => database.migrate())
  })

  it('ends before the fields grow, and destroy removes its second migration', async () => {
    await make('gadget title body:text')
    await change({ remove: ['body'], twoSteps: true })
    await expect(make('gadget body:string?')).rejects.toThrow('finishes an earlier change of gadgets')
    const path = second()
    writeFileSync(path.replace('/later/', '/migrations/'), readFileSync(path))
    rmSync(path)
    await destroy(quick, 'gadget')
    expect(project.files()).toEqual(before)
  })
})

describe('destroy after changes', () => {
  it('drops the join tables by their present names, if other migrations followed', async () => {
    await make('gadget title fans:many:user peers:many:self')
    await change({ rename: ['fans:watchers'], remove: ['peers'] }, '', { force: true })
    await make('widget title')
    await destroy(quick, 'gadget')
    const drop = Object.keys(project.files()).find((path) => path.endsWith('_drop_gadgets.ts')) ?? ''
    const [up = '', down = ''] = readFileSync(drop, 'utf8').split('export async function down')
    expect([...up.matchAll(/dropTable\('(\w+)'\)/g)].map(([, table]) => table)).toEqual([
      'gadget_watchers',
      'gadgets',
    ])
    expect(down).toContain(".renameTo('gadget_watchers')")
    expect((await tables()).filter((line) => line.includes('gadget'))).toEqual([])
  })
})

describe('a mistake', () => {
  it.each<[ChangeOptions, string]>([
    [{ rename: ['due'] }, 'Write the old and the new name: --rename due_date:due_at.'],
    [{ rename: ['due:'] }, 'Write the old and the new name'],
    [{ rename: ['dew:date'] }, 'Unknown field dew.'],
    [{ rename: ['due:title'] }, 'Gadgets already have a field title.'],
    [{ rename: ['due:id'] }, 'id'],
    [{ remove: ['nothing'] }, 'Unknown field nothing.'],
    [
      {
        remove: [
          'title',
          'due',
          'author',
          'other',
          'fans',
          'days',
          'slug',
          'size',
          'area',
          'price',
          'currency',
        ],
      },
      'npx cli destroy gadget',
    ],
    [{ remove: ['title'] }, 'slug is unique within title.'],
    [{ remove: ['size'] }, 'area is computed from size.'],
    [{ remove: ['currency'] }, 'currency is the currency of price. Remove both'],
    [{ type: ['currency:string'] }, 'currency must be an enum of currencies'],
    [{ type: ['currency:enum{EUR,JPY}?'] }, 'An amount needs a currency: make currency required.'],
    [{ type: ['currency:enum{EUR,low}'] }, 'Unknown currency low.'],
    [{ type: ['price:money(due)'] }, 'due must be an enum of currencies'],
    [{ rename: ['currency:unit'], twoSteps: true }, 'The database checks price with its currency'],
    [{ rename: ['price:cost'], twoSteps: true }, 'The database checks price with its currency'],
    [{ type: ['currency:enum{EUR,BHD}'], twoSteps: true }, 'The database checks price with its currency'],
    [{ type: ['size:decimal'] }, 'area is computed from size.'],
    [{ type: ['area:decimal:as(size*3)'] }, "A computed column can't change."],
    [{ type: ['area:integer'] }, "A computed column can't change."],
    [{ type: ['days:string'] }, 'A column has one value or several. Remove days'],
    [{ require: ['days'] }, 'days is required already.'],
    [{ rename: ['due:title2', 'title:due'] }, 'Gadgets already have a field due.'],
    [{ rename: ['due:day?'] }, 'Write the old and the new name'],
    [{ rename: ['due:day'], remove: ['day'] }, 'Another option changes this field.'],
    [{ twoSteps: true }, 'No field changes.'],
    [{ type: ['title'] }, 'Write the field and its new type'],
    [{ type: ['other:references:self?'] }, 'would contain the ids of other records'],
    [{ remove: ['author'] }, 'Choose another owner with --owner, or --owner none.'],
    [{ require: ['title'] }, 'title is required already.'],
    [{ type: ['due:day'] }, 'Unknown type day.'],
    [{ type: ['due:boolean', 'missing:text'] }, 'Unknown field missing.'],
    [{ type: ['due:datetime'], twoSteps: true }, 'add --rename due:new_name'],
    [{ type: ['fans:many:user{restrict}'] }, 'A join table stores a list of ids. Remove fans'],
    [{ type: ['fans:many:user:ordered'] }, 'Only the rows of an ordered list have a position. Remove fans'],
    [{ type: ['other:many:user'] }, 'A join table stores a list of ids. Remove other'],
    [{ require: ['fans'] }, 'fans is required already.'],
    [{ rename: ['size:extent'], twoSteps: true }, 'Postgres computes values from size'],
    [{ rename: ['fans:watchers'], twoSteps: true }, 'rename them without --two-steps'],
    [{ require: ['due_on'], rename: ['due:due_on'], twoSteps: true }, 'Require due_on with a second command'],
  ])('%j is refused with a sentence, and writes nothing', async (changes, sentence) => {
    await make(
      'gadget title due:date? author:references:user other:references:user? fans:many:user days:enum[]{a,b} slug:unique(title) size:integer area:integer:as(size*size) price:money(currency) currency:enum{EUR,JPY}',
    )
    const made = await state()
    await expect(change(changes)).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining(sentence),
    })
    expect(await state()).toEqual(made)
  })

  it('adds the currency of an amount first', async () => {
    await make('gadget title price:decimal')
    const type = ['price:money(currency)']
    await expect(change({ type }, 'currency:enum{EUR,JPY}')).rejects.toThrow('Unknown field currency.')
    await make('gadget currency:enum{EUR,JPY}')
    await change({ type })
    expect(read('app/gadgets/gadget.ts')).toContain('gadgets_price_amount')
  })

  it('needs a decision if more users could read', async () => {
    await make('gadget title fans:many:user --editors fans')
    await expect(change({ remove: ['fans'] })).rejects.toThrow('signed-in users could read all gadgets')
    await destroy(quick, 'gadget')
    await make('gadget title done:boolean --public-when done')
    await expect(change({ remove: ['done'] })).rejects.toThrow('signed-in users could read all gadgets')
    await change({ remove: ['done'] }, 'shown:boolean --public-when shown')
    expect(read('app/gadgets/gadget.policy.ts')).toContain('gadget.shown')
    await change({ remove: ['shown'] }, '--public-read')
    expect(read('app/gadgets/gadget.policy.ts')).toContain('canShow: () => true')
  })

  it('takes another owner and another order from the same command', async () => {
    await make('gadget title due:datetime author:references:user --cursor due')
    const { model } = await change(
      { type: ['author:references:user?', 'due:datetime?'] },
      '--owner none --cursor created_at',
    )
    expect([model.owner, model.cursor]).toEqual([null, 'created_at'])
  })

  it('runs pending migrations before it counts values', async () => {
    await make('gadget title a:integer')
    await change({ rename: ['a:b'] }, '', { migrate: false })
    await project.sql("insert into gadgets (title, a) values ('x', 1)")
    await expect(change({ remove: ['b'] })).rejects.toThrow('One row has a value in b')
  })

  it('names the models if the resource is unknown', async () => {
    const changes = { rename: ['a:b'] }
    await expect(changeResource(quick, { args: askedBy(['gadgit']), changes })).rejects.toThrow(
      'Unknown model gadgit.',
    )
  })
})
