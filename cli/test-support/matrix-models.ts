import { type Existing, existingIn } from '../scaffold/existing.ts'
import type { Model } from '../scaffold/model.ts'
import { relatedModel } from '../scaffold/nested/relatives.ts'
import type { ScaffoldRecord } from '../scaffold/project/record.ts'
import { askedBy } from '../scaffold/read/options.ts'
import { readModel } from '../scaffold/read/read-model.ts'
import { MATRIX } from './matrix-rows.ts'

/** Returns the models of all rows, as if they were scaffolded one after the other in this project. */
export async function matrixModels(root: string): Promise<Model[]> {
  const models: Model[] = []
  let existing = await existingIn(root)
  const records: ScaffoldRecord[] = []
  for (const command of MATRIX.flatMap(({ commands }) => commands)) {
    const asked = askedBy(command.split(' '))
    const args = { ...asked, options: { version: true, ...asked.options } }
    const model = relatedModel(readModel(args, existing).model, args.options, { existing, records })
    models.push(model)
    records.push(recordOf(command, model))
    existing = withModel(existing, model)
  }
  return models
}

const recordOf = (command: string, { names }: Model): ScaffoldRecord => ({
  path: '',
  names,
  scaffold: { version: 1, command: command.split(' '), plural: names.table, files: {} },
})

function withModel(existing: Existing, { names, label, id }: Model): Existing {
  const target = { names, label: label?.column ?? 'id', id, isUser: false, isSelf: false }
  return {
    ...existing,
    targets: [...existing.targets, target],
    tables: new Set([...existing.tables, names.table]),
  }
}
