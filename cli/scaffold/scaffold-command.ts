import { readConfig } from '#app/config.ts'
import { printResult } from '../print-result.ts'
import { Exit, EXIT } from '../exit.ts'
import { type ChangeOptions, isChange } from './changes/change-options.ts'
import { changeAndCheck } from './changes/change-resource.ts'
import { destroy } from './destroy-resource.ts'
import { type FromOptions, printSchema, scaffoldTable } from './from-table/from-table.ts'
import type { Model } from './model.ts'
import { explicitOptions } from './read/options.ts'
import { confirmSamePlural } from './same-plural.ts'
import type { Step } from './step.ts'
import { projectIn } from './project/project.ts'
import { destroyInWords, diffs, nextSteps, plainField, scaffoldInWords } from './scaffold-report.ts'
import { scaffold, type Scaffolded, type ScaffoldFlags } from './scaffold-resource.ts'

interface ScaffoldCommandOptions extends ChangeOptions, FromOptions, ScaffoldFlags {
  readonly diff?: boolean
  readonly json?: boolean
  readonly plural?: string
}

export async function scaffoldCommand(
  name = '',
  fields: string[],
  options: ScaffoldCommandOptions,
): Promise<void> {
  const flags = { ...options, dryRun: options.dryRun === true || options.diff === true }
  const project = projectIn(process.cwd())
  const args = { name, fields, options: explicitOptions(options) }
  if (options.fromSchema) return printSchema(project, options)
  if (name === '' && options.fromTable === undefined)
    throw new Exit(EXIT.usage, 'Name the model, as in: npx cli scaffold post title:string body:text')
  if (options.plural === undefined) await confirmSamePlural(process.cwd(), name)
  const create = options.fromTable === undefined ? scaffold : scaffoldTable
  const result = await (isChange(options)
    ? changeAndCheck(project, { args, changes: options }, flags)
    : create(project, args, flags))
  for (const note of result.notes) console.error(note)
  const { port } = readConfig().server
  const edited = result.steps.filter(({ verb }) => verb === 'keep')
  if (options.json !== true && options.diff) console.log(diffs(result.steps))
  else if (options.json !== true && edited.length > 0) console.log(diffs(edited))
  printResult(options.json, asJson(result, port), scaffoldInWords(result, port))
  if (edited.length > 0 || result.places?.length) process.exitCode = EXIT.conflict
}

export async function destroyCommand(
  name: string,
  options: Pick<ScaffoldCommandOptions, 'dryRun' | 'force' | 'json'>,
): Promise<void> {
  const result = await destroy(projectIn(process.cwd()), name, options)
  const { names, steps, table } = result
  printResult(
    options.json,
    { model: names.resource, names, files: steps.map(fileOf), table, warnings: [] },
    destroyInWords(result),
  )
  if (steps.some(({ verb }) => verb === 'keep')) process.exitCode = EXIT.conflict
}

const fileOf = ({ path, verb }: Step) => ({ path, verb })

function asJson(result: Scaffolded, port: number): object {
  const { model, steps, migrations, migrated, notes } = result
  return {
    model: modelAsJson(model),
    names: model.names,
    files: steps.map(fileOf),
    migration: migrations.length === 0 ? null : { names: migrations, migrated },
    warnings: notes,
    next: nextSteps(result, port).map(({ verb, object, note }) =>
      [verb, object, note].filter(Boolean).join(' '),
    ),
  }
}

const modelAsJson = ({ names: _names, fields, label, owner, readers, ...model }: Model): object => ({
  ...model,
  editors: model.editors?.column,
  parent: model.parent?.model.names.resource ?? null,
  within: model.within?.model.names.resource,
  children: model.children?.map(({ names }) => names.resource),
  fields: fields.map(plainField),
  label: label?.column ?? 'id',
  owner: owner?.column ?? null,
  readers: typeof readers === 'object' ? { when: readers.when.column } : readers,
})
