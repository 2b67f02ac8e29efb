import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { cp, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import express from 'express'
import { render, useHttp } from 'pergola'
import { afterAll, describe, expect, it, vi } from 'vitest'
import { LIGHT_PERGOLA } from '../test-support/light-pergola.ts'
import { appFiles } from './code/app-files.ts'
import { testFiles } from './code/test-files.ts'
import { existingIn, targetNamed } from './existing.ts'
import type { Model, Target } from './model.ts'
import { namesOf } from './read/names.ts'
import { WrongCommandLine } from './read/problems.ts'
import { readModel } from './read/read-model.ts'

// The compiler doesn't mind how code is formatted, and the formatter would take a minute.
vi.mock('prettier', () => ({ format: (text: string) => text, resolveConfig: () => ({}) }))

const root = join(import.meta.dirname, '../..')
const project = await mkdtemp(join(tmpdir(), 'pergola-nouns-'))
afterAll(() => rm(project, { recursive: true, force: true }))

const ORDINARY = `
  leaf brochure remark occurrence tome sapling tick vein ledge tally jotting gauging enlistment note tag twig
  form label list scope policy event order group file image date time number map set promise response request node test
  module index view feed home account page record
  address advert agenda album animal answer apartment appointment area article artist author award badge bank barrel
  basket batch battle bill bird board boat bond book booking bottle box branch brand bridge brother budget building bus
  business button cake calendar camera campaign candidate car card career case category chair channel chapter charge
  chart child church city class client clinic coach code coin collection color column comment commit company complaint
  concert condition conference contact contract conversation cookie copy country coupon course court credit crew crop
  currency customer deal debt decision delivery department deposit desk device diagram dinner direction discount dish
  document donation door draft drawing driver duty edition election employee engine entry estimate exam example
  exchange exercise expense export factory family farm favorite feature fee field film filter flag flight floor flower
  folder forum friend function fund game garden gift goal grade guest guide habit hand hobby holiday horse hotel hour
  house idea import incident ingredient input insurance interest interview inventory invitation invoice island issue
  item job journal journey judge key kitchen lake language law layer lead league lesson letter level library license
  link loan location lock log machine magazine mail manager market match meal measure medal meeting member menu message
  meter method milestone minute mission model money month mood motion mountain movie museum name network
  notification number object offer office operation opinion option package painting parcel parent park part partner
  party password patient pattern payment person phase phone photo picture piece pipeline place plan planet plant player
  point portfolio position post_card price printer priority prize problem process product profile program project
  property proposal protocol proxy purchase quarter query question queue quiz rate rating reaction reader reading
  receipt recipe reference region relation release reminder rent repair report reservation resource result return
  reward risk river road role room round route routine rule sale sample scene schedule school score screen seat section
  seed segment series server service shape share shelf shift ship shop show signal site skill slot snapshot song source
  species sponsor stage standard star state statement station statistic status step stock stop story street string
  student style subject subscription suggestion summary supplier survey switch symbol system table target teacher team
  template tenant term text theme thread ticket title token tool topic tour track trade training transaction transfer
  translation tree trial trip type unit update upload value variable vehicle vendor version video village visit visitor
  voice volume vote voucher wallet warehouse watch website week wish word work worker workshop year zone
`

/** Every word of the language, and names that generated code uses: what a resource is called hides none of them. */
const IN_CODE = `
  ability await boolean break case catch class column_type const constructor continue created ctx
  cursor_request daysAgo debugger declare default delete destroy do edit else enum eval expect expect_parity export
  extends false field_error finally first first_id_list for form_for form_input function generated given global_this
  handler helper id_in if implements in in_turn instanceof interface it json labels_of let list_query load login made
  make math may may_create me nav new new_form nth_day null object of omit owned_by package page_info page_request
  page_size page_status parameters partial_value path pick policy_context private protected prototype public
  public_route re readonly reference_choice regexp render repository req row_of scope search_form secured
  sort_heading static store_form stored stranger super swap test_app this throw to_string true try typed typeof
  undefined user_name value_of var void while whole_list_href with yield z
`

const MODIFIERS = 'default index max min null private self unique'

/** Names that something else has, and what it is. */
const TAKEN: Readonly<Record<string, string>> = {
  asset: '/assets is an address of the application already',
  attempt: 'there is a table attempts already',
  error: 'there is a folder errors in app/, views/ or e2e/ already',
  layout: 'there is a folder layouts in app/, views/ or e2e/ already',
  partial: 'there is a folder partials in app/, views/ or e2e/ already',
  session: 'there is a table sessions already',
  task: 'there is a folder tasks in app/, views/ or e2e/ already',
  user: 'User exists already',
  con: 'Windows has a device con',
  pg_stat: 'Postgres keeps tables that begin with pg_ for itself',
  employee_id: 'Leave _id out: employee.',
}

const words = (text: string) => text.trim().split(/\s+/)
// Without what the application's own resources are called.
const existing = { ...(await existingIn(root)), identifiers: new Set(['resources', 'users', 'userRoutes']) }
// Without those that the application has by now.
const nouns = [...new Set([...words(ORDINARY), ...words(IN_CODE)])].filter(
  (noun) => targetNamed(noun, existing) === null,
)

const targets: Target[] = []
const models: Model[] = []
const refused: Record<string, string> = {}
for (const noun of nouns) {
  const { model, told } = modelOf(noun)
  if (model === null) {
    refused[noun] = told
    continue
  }
  models.push(model)
  // In `x:references:index` that is a modifier.
  if (!words(MODIFIERS).includes(noun))
    targets.push({ names: model.names, label: 'title', id: model.id, isUser: false, isSelf: false })
}

/** A resource of this name, which refers to the one before; or why it is refused. */
function modelOf(name: string): { model: Model; told: '' } | { model: null; told: string } {
  const fields = ['title', 'published:boolean', 'owner:references:user']
  const [before] = targets.slice(-1)
  if (before) fields.push(`before_it:references:${before.names.file}`)
  const known = { ...existing, targets: [...existing.targets, ...targets] }
  try {
    return { told: '', ...readModel({ name, fields, options: { publicWhen: 'published' } }, known) }
  } catch (error) {
    if (!(error instanceof WrongCommandLine)) throw error
    return { model: null, told: error.problems.map(({ message }) => message).join('\n') }
  }
}

describe('ordinary nouns', () => {
  it('can be names of resources', () => {
    expect(words(ORDINARY).length).toBeGreaterThan(200)
    expect(refused).toEqual({})
  })

  it.each(Object.entries(TAKEN))('are refused with what has the name and a remedy: %s', (noun, reason) => {
    const { told } = modelOf(noun)
    expect(told).toContain(reason)
    expect(told).toMatch(/Use |Leave /)
  })

  it('give a view no record under a name that every page uses', async () => {
    const used = new Set([
      ...(await namesInPages()),
      ...namesInLayouts(),
      ...'page query may mayCreate'.split(' '),
    ])
    expect(used.size).toBeGreaterThan(30)
    expect([...used].filter((name) => namesOf(name).record === name)).toEqual([])
  })

  it('make resources that compile together', { timeout: 120_000 }, async () => {
    await write('package.json', JSON.stringify({ type: 'module', imports: { '#app/*': './app/*' } }))
    await symlink(join(root, 'node_modules'), join(project, 'node_modules'))
    await cp(join(root, 'tsconfig.json'), join(project, 'root.json'))
    for (const [path, text] of Object.entries(LIGHT_PERGOLA)) await write(path, text)
    for (const model of models) {
      const migration = `20270101000000_create_${model.names.table}`
      for (const { path, text } of [...(await appFiles(model, { migration })), ...(await testFiles(model))])
        if (path.startsWith('app/')) await write(path, text)
    }
    const tsc = join(root, 'node_modules/.bin/tsc')
    const told = await promisify(execFile)(tsc, ['-p', '.'], { cwd: project, maxBuffer: 2 ** 26 }).then(
      () => '',
      ({ stdout }: { stdout: string }) => stdout,
    )
    expect(told).toBe('')
  })
})

/** What a view finds under `it` when nothing is passed to it. */
async function namesInPages(): Promise<string[]> {
  await write('views/names.eta', "<%= Object.keys(it).join(' ') %>")
  const app = express()
  useHttp(app, {
    name: 'Test',
    views: join(project, 'views'),
    signInPath: '/login',
    apiPrefix: '/api',
    development: false,
    https: false,
    secret: 'a secret for tests that is long enough',
    viewer: () => Promise.resolve(null),
    assetUrl: (name) => name,
    nav: [],
  })
  app.get('/', (_req, res) => render(res, 'names'))
  const server = app.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const text = await (await fetch(`http://127.0.0.1:${port}/`)).text()
  server.close()
  return text.split(' ')
}

const namesInLayouts = (): string[] =>
  globSync('views/layouts/*.eta', { cwd: root })
    .flatMap((path) => [...readFileSync(join(root, path), 'utf8').matchAll(/\bit\.(\w+)/g)])
    .map(([, name = '']) => name)

async function write(path: string, text: string): Promise<void> {
  await mkdir(dirname(join(project, path)), { recursive: true })
  await writeFile(join(project, path), text)
}
