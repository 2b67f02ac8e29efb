import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { testProject } from '../../test-support/test-project.ts'
import { diskOf } from '../../project/disk.ts'
import { destroy } from '../destroy-resource.ts'
import { existingIn } from '../existing.ts'
import type { Project } from '../project/project.ts'
import { scaffoldsIn } from '../project/record.ts'
import { askedBy } from '../read/options.ts'
import { scaffold, type ScaffoldFlags } from '../scaffold-resource.ts'
import { changeResource } from './change-resource.ts'
import type { ChangeOptions } from './change-options.ts'

const project = await testProject()
const before = project.files()
const at = (path: string) => join(project.root, path)
const read = (path: string) => readFileSync(at(path), 'utf8')

/** A project without child processes, which knows the resources that the tests create. */
const quick: Project = {
  ...project,
  manifest: () => Promise.resolve(read('security.manifest.json')),
  async existing() {
    const existing = await project.existing()
    const made = scaffoldsIn(project.root).map(({ names, scaffold: { command } }) => {
      const { fields, options } = askedBy(command)
      const label = fields.some((field) => /^title\b/.test(field)) ? 'title' : 'id'
      const id = options.id === 'uuid' ? ('uuid' as const) : ('bigint' as const)
      return { names, label, id, isUser: false, isSelf: false, isNested: options.in !== undefined }
    })
    return { ...existing, targets: [...existing.targets, ...made] }
  },
}

const argsOf = (command: string) =>
  askedBy(command.match(/'[^']*'|\S+/g)?.map((word) => word.replaceAll("'", '')) ?? [])
const make = (command: string) => {
  later()
  return scaffold(quick, argsOf(command))
}
const makeAll = async (commands: readonly string[]) => {
  for (const command of commands) await make(command)
}
const destroyAll = async (names: readonly string[]) => {
  for (const name of names) await destroy(quick, name)
}
const rename = (command: string, flags?: ScaffoldFlags, more: ChangeOptions = {}) => {
  later()
  const [model = '', renameModel = '', ...words] = command.split(' ')
  return changeResource(
    quick,
    { args: argsOf([model, ...words].join(' ')), changes: { renameModel, ...more } },
    flags,
  )
}

/** The files besides the migrations, and without the digests of all files. */
function code(files = project.files()): Record<string, string> {
  const kept = Object.entries(files).filter(([path]) => !path.includes('/app/db/'))
  return Object.fromEntries(
    kept.map(([path, text]) => [
      path,
      path.endsWith('scaffold.json') ? JSON.stringify(JSON.parse(text).command) : text,
    ]),
  )
}
/** Postgres 18 also names a NOT NULL, and keeps the name. */
const tables = async () => (await project.catalog()).filter((line) => !line.includes('_not_null NOT NULL '))
const state = async () => ({ code: code(), catalog: await tables() })

function edit(path: string, from: string, to: string): void {
  expect(read(path)).toContain(from)
  writeFileSync(at(path), read(path).replace(from, to))
}
function write(path: string, text: string | Buffer): void {
  mkdirSync(dirname(at(path)), { recursive: true })
  writeFileSync(at(path), text)
}

// Node imports a file once, so that each migration needs a name of its own: an hour passes before each command.
let hours = 0
const later = () => vi.setSystemTime(new Date(Date.UTC(2030, 0, 1, (hours += 1))))
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

/** Restores the files and the tables after each test. */
afterEach(async () => {
  const now = project.files()
  for (const [path, text] of Object.entries(before)) if (now[path] !== text) writeFileSync(path, text)
  await project.inDatabase(async (database) => {
    const own = (await database.states()).filter(({ name, executed_at }) => {
      const path = at(`app/db/migrations/${name}.ts`)
      return executed_at && existsSync(path) && !(path in before)
    })
    if (own.length > 0) await database.rollback(own.length)
  })
  for (const path of Object.keys(now)) if (!(path in before)) rmSync(path)
})

const PARENT = 'gadget title owner:references:user'
const NOTE = 'note text:text part:references author:references:user --in part'
const QUOTE = 'quote text:text part:references author:references:user'

/** The resources before, the new name, and the resources that give the same result. */
const SAME: readonly [before: readonly string[], renamed: string, after: readonly string[]][] = [
  [
    ['gadget title body:text? due:date? author:references:user'],
    'case',
    ['case title body:text? due:date? author:references:user'],
  ],
  [
    ["gadget slug^ title 'level:integer{1..9}=3' state:enum{a,b}=a"],
    'blog_entry',
    ["blog_entry slug^ title 'level:integer{1..9}=3' state:enum{a,b}=a"],
  ],
  [
    ['gadget slug^ title parent:references:self? --soft-delete --id uuid'],
    'issue',
    ['issue slug^ title parent:references:self? --soft-delete --id uuid'],
  ],
  [['gadget title above:references:gadget?'], 'error', ['error title above:references:self?']],
  [
    ['gadget_part title due:datetime --cursor due --no-api --no-tests --no-version'],
    'sheep',
    ['sheep title due:datetime --cursor due --no-api --no-tests --no-version'],
  ],
  [
    ['badge title', 'gadget title badges:many:ordered fans:many:user{restrict} peers:many:self --id uuid'],
    'gadget:case',
    ['badge title', 'case title badges:many:ordered fans:many:user{restrict} peers:many:self --id uuid'],
  ],
  [
    ['badge title', 'gadget title badges:many:badge:ordered'],
    'badge:label',
    ['label title', 'gadget title badges:many:label:ordered'],
  ],
  [['gadget title'], 'person --plural folk', ['person title --plural folk']],
  [['gadget title --plural gadgetry'], 'gizmo', ['gizmo title']],
  [['gadget title'], 'thing --plural gadgets', ['thing title --plural gadgets']],
  [
    ['gadget title done:boolean --public-when done'],
    'news_item',
    ['news_item title done:boolean --public-when done'],
  ],
  [
    [
      PARENT,
      "remark text:text 'gadget:references{cascade}' author:references:user --in gadget --count",
      'order gadget:references?',
    ],
    'case',
    [
      'case title owner:references:user',
      "remark text:text 'gadget:references:case{cascade}' author:references:user --in case --count",
      'order gadget:references:case?',
    ],
  ],
  [
    [PARENT, 'remark text:text gadget:references --in gadget', 'vote remark:references'],
    'remark:comment',
    [PARENT, 'comment text:text gadget:references --in gadget', 'vote remark:references:comment'],
  ],
  [
    [PARENT, 'part title gadget:references --in gadget --pages', NOTE, QUOTE],
    'case',
    ['case title owner:references:user', 'part title gadget:references:case --in case --pages', NOTE, QUOTE],
  ],
]

const nameIn = (command: string) => command.split(' ')[0] ?? ''

describe('scaffold --rename-model', () => {
  it.each(SAME)('%j as %s is %j, and back', async (commands, renamed, result) => {
    const [, model = nameIn(commands[0] ?? ''), name = renamed] = /^(\w+):(.*)/.exec(renamed) ?? []
    await makeAll(result)
    const wanted = await state()
    await destroyAll(result.map(nameIn).toReversed())
    await makeAll(commands)
    const old = await tables()
    const { migrations, notes, places } = await rename(`${model} ${name}`)
    expect(await state()).toEqual(wanted)
    expect(places).toEqual([])
    expect(notes.at(-1)).toMatch(/^The version that runs now/)
    await project.inDatabase((database) => database.rollback(migrations.length))
    expect(await tables()).toEqual(old)
    await project.inDatabase((database) => database.migrate())
    await destroyAll(result.map(nameIn).toReversed())
    expect(code()).toEqual(code(before))
  })
})

describe('the code of an owner', () => {
  it('keeps its edits in generated files, whose own lines get the new names', async () => {
    await make('gadget title body:text author:references:user')
    edit('app/gadgets/gadget.policy.ts', "ctx.hasRole('admin')", "ctx.hasRole('admin') /* and nobody else */")
    edit('app/gadgets/gadget.controller.ts', "'Gadget created.'", "'Thank you for the gadget.'")
    edit(
      'app/gadgets/gadget.controller.ts',
      'export const gadgetRoutes',
      "const close: Handler = async (req, res) => {\n  const gadget = record(req, Gadget, 'update')\n  await gadgets.update(gadget, { title: 'x' })\n  res.redirect(303, `/gadgets/${gadget.id}`)\n}\n\nexport const gadgetRoutes",
    )
    edit(
      'views/gadgets/show.eta',
      '<div class="record">',
      '<div class="record wide"><% if (may(gadget, \'close\')) { %>Close this gadget<% } %>',
    )
    const { places } = await rename('gadget case')
    expect(read('app/cases/case.policy.ts')).toContain(
      "(ctx.hasRole('admin') /* and nobody else */)".slice(1, -1),
    )
    const controller = read('app/cases/case.controller.ts')
    expect(controller).toContain(
      "const gadget = record(req, Case, 'update')\n  await cases.update(gadget, { title: 'x' })\n  res.redirect(303, `/cases/${gadget.id}`)",
    )
    expect(controller).toContain("'Thank you for the gadget.'")
    expect(read('views/cases/show.eta')).toContain(
      '<div class="record wide"><% if (may(caseRecord, \'close\')) { %>Close this gadget<% } %>',
    )
    expect(places).toEqual([
      'app/cases/case.controller.ts  (you edited a place of the name: your text stays)',
    ])
  })

  it('is merged by words if names have several of them', async () => {
    await make('gadget title author:references:user')
    edit(
      'views/gadgets/index.eta',
      '<table class="records" role="table">',
      '<table class="records compact" role="table">',
    )
    edit(
      'app/gadgets/gadget.controller.ts',
      "'GET /': [secured(), index],",
      "'GET /': [secured(), index], // all gadgets",
    )
    const { steps } = await rename('gadget support_case')
    const merged = steps.filter(({ verb }) => verb === 'merge').map(({ path }) => path)
    expect(merged.toSorted()).toEqual([
      'app/support-cases/support-case.controller.ts',
      'views/support-cases/index.eta',
    ])
    expect(read('views/support-cases/index.eta')).toContain('records compact')
    expect(read('app/support-cases/support-case.controller.ts')).toContain(
      '[secured(), index], // all supportCases',
    )
  })

  it('moves with the folder, and is changed where it imports from there or includes a view', async () => {
    await make('gadget title author:references:user')
    await make('gadget_part title')
    write(
      'app/gadgets/closing/close-gadget.ts',
      "import { gadgets } from '../gadget.repository.ts'\n\nexport const closeGadgets = () => gadgets.asSystem('the gadgets').count()\n",
    )
    write('app/gadgets/gadget.texts.ts', "export const gadgetTexts = { gadgets: 'Gadgets' }\n")
    write(
      'app/reports/open.ts',
      "import { closeGadgets } from '#app/gadgets/closing/close-gadget.ts'\nimport { gadgetParts } from '#app/gadget-parts/gadget-part.repository.ts'\n\nexport const open = [closeGadgets, gadgetParts, makeGadgetPart, gadgetRequest, '/gadgets/7']\n",
    )
    write('views/gadgets/_line.eta', '<p><%= it.gadget %> of the gadgets</p>\n')
    write('views/reports/open.eta', "<%~ include('/gadgets/_line', { gadget: 1 }) %>\n")
    write('app/gadgets/logo.png', Buffer.from([0x89, 0xff, 0xfe]))
    const { places } = await rename('gadget case')
    expect(read('app/cases/closing/close-gadget.ts')).toBe(
      "import { cases } from '../case.repository.ts'\n\nexport const closeCases = () => cases.asSystem('the gadgets').count()\n",
    )
    expect(read('app/cases/case.texts.ts')).toBe("export const caseTexts = { gadgets: 'Cases' }\n")
    expect(read('app/reports/open.ts')).toBe(
      "import { closeCases } from '#app/cases/closing/close-gadget.ts'\nimport { gadgetParts } from '#app/gadget-parts/gadget-part.repository.ts'\n\nexport const open = [closeCases, gadgetParts, makeGadgetPart, gadgetRequest, '/cases/7']\n",
    )
    expect(read('views/cases/_line.eta')).toBe('<p><%= it.gadget %> of the gadgets</p>\n')
    expect(read('views/reports/open.eta')).toBe("<%~ include('/cases/_line', { gadget: 1 }) %>\n")
    expect(places).toEqual(['app/gadgets/logo.png  (not text: move it to the new folder)'])
  })

  it('stays in an entry of the list of resources', async () => {
    await make('gadget title author:references:user')
    edit('app/resources.ts', "nav: 'Gadgets'", "nav: 'My things', navGroup: 'Mine'")
    await rename('gadget case')
    expect(read('app/resources.ts')).toContain("import { cases } from './cases/case.repository.ts'")
    expect(read('app/resources.ts')).toMatch(
      /repository: cases,\s+routes: \{ caseRoutes \},\s+nav: 'My things',\s+navGroup: 'Mine',\s+seed: seedCases,?/,
    )
  })

  it('stays in the list of a parent and in a file whose template has changed since', async () => {
    await makeAll([PARENT, 'remark text:text gadget:references --in gadget'])
    edit(
      'app/gadgets/gadget.controller.ts',
      'remarkList: await remarksOf(req, gadget),',
      'remarkList: await remarksOf(req, gadget), // the remarks',
    )
    const record = JSON.parse(read('app/remarks/scaffold.json'))
    record.files['views/remarks/_list.eta'] = 'the digest of another text'
    write('app/remarks/scaffold.json', JSON.stringify(record))
    const { places } = await rename('remark comment')
    expect(read('app/gadgets/gadget.controller.ts')).toContain(
      'commentList: await commentsOf(req, gadget), // the comments',
    )
    expect(places).toEqual(['views/comments/_list.eta  (you edited a place of the name: your text stays)'])
  })
})

describe('the resource under its new name', () => {
  it('grows, changes and gets its old name back', async () => {
    await make('gadget title weight:integer? author:references:user')
    const wanted = code()
    await destroyAll(['gadget'])
    await make('gadget title author:references:user')
    await rename('gadget case')
    await make('case mass:integer?')
    later()
    await changeResource(quick, { args: argsOf('case'), changes: { rename: ['mass:weight'] } })
    await rename('case gadget')
    const order = (text: string | undefined) => text?.match(/\w+/g)?.toSorted()
    expect(Object.keys(code())).toEqual(Object.keys(wanted))
    const file = at('app/gadgets/gadget.repository.ts')
    expect(order(code()[file])).toEqual(order(wanted[file]))
    await destroyAll(['gadget'])
    expect(code()).toEqual(code(before))
  })

  it('has the history of its records, and leaves its old name to another resource', async () => {
    await make('gadget title')
    await project.sql(
      "insert into record_changes (resource, record_id, action, changes) values ('Gadget', '1', 'create', '{}'), ('User', '1', 'create', '{}')",
    )
    const resources = async () =>
      (await project.db.selectFrom('record_changes').select('resource').orderBy('resource').execute()).map(
        ({ resource }) => resource,
      )
    const { migrations } = await rename('gadget case')
    expect(await resources()).toEqual(['Case', 'User'])
    const { tables } = await existingIn(project.root)
    expect([tables.has('cases'), tables.has('gadgets')]).toEqual([true, false])
    await make('gadget title')
    await destroyAll(['gadget'])
    await project.inDatabase((database) => database.rollback(migrations.length))
    expect(await resources()).toEqual(['Gadget', 'User'])
    await project.sql('delete from record_changes')
  })

  it('is named in the notes: its path, and the columns of other tables', async () => {
    await makeAll([PARENT, 'order gadget:references?'])
    expect((await rename('gadget case')).notes).toEqual([
      'orders.gadget_id keeps its name. To rename it: npx cli scaffold order --rename gadget:case',
      '/gadgets is now /cases, also in the API. Old links are not redirected.',
      'The version that runs now fails after this migration, because its table has another name: stop it before npx cli db migrate.',
    ])
    later()
    await changeResource(quick, { args: argsOf('order'), changes: { rename: ['gadget:case'] } })
    expect(read('app/orders/order.ts')).toContain('case_id')
  })
})

describe('a renamed reference to a parent', () => {
  it('has its new name in the tests of resources whose records need it', async () => {
    await makeAll([PARENT, 'part title gadget:references --in gadget --pages', NOTE, QUOTE])
    later()
    await changeResource(quick, { args: argsOf('part'), changes: { rename: ['gadget:owner_gadget'] } })
    for (const file of ['app/notes/note.test.ts', 'app/quotes/quote.test.ts']) {
      expect(read(file)).toContain('owner_gadget_id: (await makeGadget(')
      expect(read(file)).not.toContain(' gadget_id:')
    }
    const places = (await rename('part piece')).places
    expect(places).toEqual([])
  })
})

describe('a mistake', () => {
  it.each<[string, string, ChangeOptions?]>([
    ['gadget gadget', 'Gadget already has this name.'],
    ['gadget user', "User can't be created: User already exists, with the table users."],
    ['gadget remark', "Remark can't be created: Remark already exists"],
    ['gadget note --plural remarks', 'already exists, with the table remarks'],
    ['gadget thing --plural dev', "Thing can't be created: the folder dev already exists"],
    ['gadget ca$e', '"$" can\'t be in a name'],
    ['gadget con', 'Windows reserves'],
    [`gadget ${'x'.repeat(60)}`, 'too many for Postgres'],
    ['gadget case body:text', 'Change fields and options with another command.'],
    ['gadget case --owner none', 'Change fields and options with another command.'],
    ['gadget case', 'Change fields and options with another command.', { remove: ['title'] }],
    ['gadget case', 'Change fields and options with another command.', { twoSteps: true }],
    ['gadgit case', 'Unknown model gadgit.'],
  ])('%s is refused with a sentence, and writes nothing', async (command, sentence, more) => {
    await makeAll(['gadget title body:text?', 'remark title'])
    const made = await state()
    await expect(rename(command, {}, more)).rejects.toMatchObject({
      code: 2,
      message: expect.stringContaining(sentence),
    })
    expect(await state()).toEqual(made)
  })

  it('is refused if an edited file is not UTF-8', async () => {
    await make('gadget title')
    write('app/gadgets/gadget.ts', Buffer.from(read('app/gadgets/gadget.ts') + '// é\n', 'latin1'))
    await expect(rename('gadget case')).rejects.toThrow('app/gadgets/gadget.ts is not UTF-8')
    expect(existsSync(at('app/cases/scaffold.json'))).toBe(false)
  })

  it('is refused if a file of the new name exists', async () => {
    await make('gadget title')
    write('e2e/cases.spec.ts', '// Ours.\n')
    const made = await state()
    await expect(rename('gadget case')).rejects.toMatchObject({
      code: 3,
      message: expect.stringContaining('e2e/cases.spec.ts already exists'),
    })
    expect(await state()).toEqual(made)
  })

  it('is refused if the manifest lacks a rule of the code, since the new name would hide it', async () => {
    await make('gadget title')
    const made = await state()
    const manifest = () => Promise.resolve(`${read('security.manifest.json')}{}`)
    later()
    await expect(
      changeResource({ ...quick, manifest }, { args: argsOf('gadget'), changes: { renameModel: 'case' } }),
    ).rejects.toMatchObject({ code: 3, message: expect.stringContaining('npx cli routes audit --write') })
    expect(await state()).toEqual(made)
  })

  it('is refused before a change of it, or of a resource that refers to it, is finished', async () => {
    await makeAll([PARENT, 'remark body:text gadget:references'])
    later()
    await changeResource(quick, {
      args: argsOf('remark'),
      changes: { rename: ['body:text'], twoSteps: true },
    })
    const made = await state()
    for (const command of ['remark comment', 'gadget case'])
      await expect(rename(command)).rejects.toThrow('finishes an earlier change of remarks')
    expect(await state()).toEqual(made)
  })

  it('changes nothing with --dry-run, or if a file can not be written', async () => {
    await make('gadget title author:references:user')
    const made = await state()
    const { steps } = await rename('gadget case', { dryRun: true })
    expect(steps.filter(({ verb }) => verb === 'remove').length).toBeGreaterThan(10)
    expect(await state()).toEqual(made)
    const disk = diskOf(project.root)
    const write = (path: string, text: string) => {
      if (path === 'app/resources.ts') throw new Error('full')
      disk.write(path, text)
    }
    later()
    const broken = changeResource(
      { ...quick, disk: { ...disk, write } },
      { args: argsOf('gadget'), changes: { renameModel: 'case' } },
    )
    await expect(broken).rejects.toThrow('rolled back')
    expect(await state()).toEqual(made)
  })
})
