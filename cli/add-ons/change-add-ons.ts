import { type AddOn, addOnNamed, namesIn, readAddOn, sourceIn } from './add-on.ts'
import { addedTo, nameIn } from './package-json.ts'
import { type Change, changeToAdd, changeToRemove } from './add-on-steps.ts'
import { migrationsIn, type TableSteps, withTables } from './add-on-tables.ts'
import { refuseUsed } from './refuse-used.ts'
import { writeSteps } from './write-add-on.ts'
import { Exit, EXIT } from '../exit.ts'
import { printResult } from '../print-result.ts'
import { textAt } from '../project/file-text.ts'
import { uncommittedIn } from '../project/uncommitted.ts'
import { unknownManifest } from '../scaffold/project/manifest-step.ts'
import { projectIn } from '../scaffold/project/project.ts'
import { diffs } from '../scaffold/scaffold-report.ts'
import { byHandInWords, changeInWords, listInWords } from './add-on-words.ts'

interface ChangeOptions {
  readonly dryRun?: boolean
  readonly diff?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

export async function addCommand(name: string | undefined, options: ChangeOptions): Promise<void> {
  const { root, all, added } = addOns()
  if (name === undefined)
    return printResult(
      options.json,
      all.map((addOn) => asJson(addOn, added)),
      listInWords(all, added),
    )
  const addOn = addOnNamed(all, name)
  refuseMissing(addOn, added)
  await carryOut(changeToAdd(root, addOn), options)
}

export async function removeCommand(name: string, options: ChangeOptions): Promise<void> {
  const { root, all, added } = addOns()
  const addOn = addOnNamed(all, name)
  if (!added.includes(name))
    throw new Exit(EXIT.usage, `${name} is not added to this application. No files were written.`)
  const others = all.filter((other) => other !== addOn && added.includes(other.name))
  refuseNeeded(addOn, others)
  if (options.force) refuseUncommitted(changeToRemove(root, addOn, { others }), root)
  const change = changeToRemove(root, addOn, { others, force: options.force ?? false })
  refuseUsed(root, change)
  if (migrationsIn(change).length === 0) return carryOut(change, options)
  await projectIn(root).inDatabase(async (database) => {
    const planned = await withTables(root, change, { database, force: options.force ?? false })
    await carryOut(planned.change, options, planned.tables)
  })
}

function addOns() {
  const root = process.cwd()
  const packageJson = textAt(root, 'package.json') ?? '{}'
  const source = sourceIn(root)
  const all = namesIn(source).map((name) => readAddOn(source, name, nameIn(packageJson)))
  return { root, all, added: addedTo(packageJson) }
}

const asJson = ({ name, description, cost, needs, packages }: AddOn, added: readonly string[]) => ({
  name,
  description,
  cost,
  needs,
  packages,
  added: added.includes(name),
})

function refuseMissing({ name, needs }: AddOn, added: readonly string[]): void {
  const missing = needs.find((needed) => !added.includes(needed))
  if (missing === undefined) return
  throw new Exit(
    EXIT.conflict,
    `${name} needs ${missing}. Run: npx cli add ${missing}. No files were written.`,
  )
}

function refuseNeeded({ name }: AddOn, others: readonly AddOn[]): void {
  const user = others.find(({ needs }) => needs.includes(name))
  if (user === undefined) return
  throw new Exit(
    EXIT.conflict,
    `${user.name} needs ${name}. Run first: npx cli remove ${user.name}. No files were written.`,
  )
}

function refuseUncommitted({ steps }: Change, root: string): void {
  const edited = steps.filter(({ verb }) => verb === 'keep').map(({ path }) => path)
  const lost = uncommittedIn(root, edited)
  if (lost.length === 0) return
  const list = lost.map((path) => `  ${path}`).join('\n')
  throw new Exit(
    EXIT.conflict,
    `Git can't restore these edited files, because they are not committed:\n${list}\nCommit them first. No files were written.`,
  )
}

async function carryOut(
  change: Change,
  { dryRun = false, diff = false, json }: ChangeOptions,
  tables?: TableSteps,
): Promise<void> {
  const isDry = dryRun || diff
  const project = projectIn(process.cwd())
  if (!isDry && change.byHand.size > 0) throw new Exit(EXIT.conflict, byHandInWords(change))
  const steps = isDry
    ? [...change.steps, unknownManifest(project.root)]
    : await writeSteps(project, change.steps, tables)
  if (diff && json !== true) console.log(diffs(steps))
  const files = steps.map(({ path, verb }) => ({ path, verb }))
  const { name, packages } = change.addOn
  const byHand = Object.fromEntries(change.byHand)
  printResult(json, { name, files, packages, byHand }, changeInWords({ ...change, steps }, isDry))
  if (isDry && change.byHand.size > 0) console.error(byHandInWords(change))
  if (change.byHand.size > 0 || steps.some(({ verb }) => verb === 'keep')) process.exitCode = EXIT.conflict
}
