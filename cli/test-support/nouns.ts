import { execFile } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { expect } from 'vitest'
import { filesOf } from '../scaffold/code/files.ts'
import { type Existing, targetNamed } from '../scaffold/existing.ts'
import type { Target } from '../scaffold/field-types/field-type.ts'
import type { Model } from '../scaffold/model.ts'
import { identifiersOf, RESOURCE_LIST, withResource } from '../scaffold/project/resource-list.ts'
import { WrongCommandLine } from '../scaffold/read/command-line-problems.ts'
import { readModel } from '../scaffold/read/read-model.ts'

const words = (text: string) => text.trim().split(/\s+/)

export const ORDINARY = words(`
  leaf brochure remark occurrence tome sapling tick vein ledge tally jotting gauging enlistment note tag twig
  account address component error home job mail task
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
  item journal journey judge key kitchen lake language law layer lead league lesson letter level library license
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
`)

/** Reserved words, and identifiers in generated code. The code of a resource with such a name must still compile. */
const IN_CODE = words(`
  ability await boolean break case catch class column_type const constructor continue created ctx
  cursor_request daysAgo debugger declare default delete destroy do edit else enum eval expect expect_parity export
  extends false field_error finally first first_id_list for form_for form_input function generated given global_this
  handler helper id_in if implements in in_turn instanceof interface it json labels_of let list_query load login made
  list make math may may_create may_write me nav new new_form nth_day null object of omit owned_by package page_info page_request
  page_size page_status parameters partial_value path pick policy_context private protected prototype public
  public_route re readonly reference_choice regexp render repository req row_of scope search_form secured
  sort_heading static store_form stored stranger super swap test_app this throw time to_string true try typed typeof
  undefined user_name value_of var void while whole_list_href with yield z
`)

const MODIFIERS = words('default index max min null private self unique')

/** A field of each type. Each resource gets the next three of them. */
const FIELDS = words(`
  summary:text? amount:integer{0..130}=5 distance:bigint price:decimal weight:float? found_on:date found_at:time?
  seen_at:datetime serial:uuid? details:json contact:email? homepage:url handle:slug? phase:enum{fresh,dried}=fresh
  mood:enum{calm,wild}? nickname:string{2..40}?
`)

type Read =
  { readonly model: Model; readonly problem: '' } | { readonly model: null; readonly problem: string }

/**
 * Returns a resource for each noun, with a reference to the previous resource, and the error message of each rejected
 * noun.
 */
export function nounModels(existing: Existing) {
  const targets: Target[] = []
  const models: Model[] = []
  const refused: Record<string, string> = {}
  const identifiers = new Set(existing.identifiers)
  // Omits the nouns of existing resources.
  const nouns = [...new Set([...ORDINARY, ...IN_CODE])].filter((noun) => targetNamed(noun, existing) === null)
  const modelOf = (name: string): Read => {
    const at = models.length * 3
    const typed = [at, at + 1, at + 2].map((index) => FIELDS[index % FIELDS.length] ?? '')
    const fields = ['title', 'published:boolean', 'owner:references:user', ...typed]
    const [before] = targets.slice(-1)
    if (before) fields.push(`before_it:references:${before.names.file}`)
    const known = { ...existing, targets: [...existing.targets, ...targets], identifiers }
    try {
      return { problem: '', ...readModel({ name, fields, options: { publicWhen: 'published' } }, known) }
    } catch (error) {
      if (!(error instanceof WrongCommandLine)) throw error
      return { model: null, problem: error.problems.map(({ message }) => message).join('\n') }
    }
  }
  for (const noun of nouns) {
    const { model, problem } = modelOf(noun)
    if (model === null) {
      refused[noun] = problem
      continue
    }
    models.push(model)
    for (const identifier of identifiersOf(model.names)) identifiers.add(identifier)
    // In `x:references:index`, `index` is a modifier.
    if (!MODIFIERS.includes(noun))
      targets.push({ names: model.names, label: 'title', id: model.id, isUser: false, isSelf: false })
  }
  return { models, refused, modelOf }
}

/** Writes the code of these resources and their list into a project. Also writes a file with type errors, the canary. */
export async function writeNouns(project: string, models: readonly Model[]): Promise<void> {
  const write = async (path: string, text: string) => {
    await mkdir(dirname(join(project, path)), { recursive: true })
    await writeFile(join(project, path), text)
  }
  for (const model of models) {
    const migration = `20270101000000_create_${model.names.table}`
    for (const { path, text } of await filesOf(model, { migration }))
      if (path.startsWith('app/')) await write(path, text)
  }
  const list = await readFile(join(project, RESOURCE_LIST), 'utf8')
  await write(
    RESOURCE_LIST,
    models.reduce((text, { names }) => withResource(text, names), list),
  )
  await write(CANARY, canaryOf(models))
}

const CANARY = 'app/canary.ts'

/** Returns code with two type errors. The compiler reports them only if it compiled the list and the last resource. */
function canaryOf(models: readonly Model[]): string {
  const last = models.at(-1)
  if (last === undefined) throw new Error('No resources were written.')
  const { type, folder, file } = last.names
  return `import { resources } from './resources.ts'
import type { ${type} } from './${folder}/${file}.ts'
export const count: 0 = resources.length
export const title = (record: ${type}): number => record.title
`
}

/** Runs the compiler in this project. Returns its exit code and output. */
export function compileNouns(project: string): Promise<{ code: unknown; lines: string[] }> {
  const tsc = join(project, 'node_modules/typescript/bin/tsc')
  const options = { cwd: project, maxBuffer: 2 ** 28 }
  return new Promise((resolve) => {
    execFile(process.execPath, [tsc, '-p', '.', '--pretty', 'false'], options, (error, stdout, stderr) =>
      // A process that was killed or not started has no exit code.
      resolve({ code: error?.signal ?? error?.code ?? 0, lines: (stdout + stderr).trim().split('\n') }),
    )
  })
}

/** The compiler's output if only the canary has errors. No output would mean that nothing was compiled. */
export const ONLY_THE_CANARY = {
  code: 1,
  lines: [
    expect.stringMatching(
      /^app\/canary\.ts\(3,\d+\): error TS2322: Type '(?:number|\d+)' is not assignable to type '0'/,
    ),
    expect.stringMatching(
      /^app\/canary\.ts\(4,\d+\): error TS2322: Type 'string' is not assignable to type 'number'/,
    ),
  ] as unknown[],
}
