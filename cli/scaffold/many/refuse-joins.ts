import type { Model } from '../model.ts'
import { Problems, wholeOf } from '../read/command-line-problems.ts'
import { joinedFields, joinOf } from './join-code.ts'

/** Throws if the join table of a field can't be created: its name is taken, its columns have one name, or the table has no version. */
export function refuseJoins(
  { model, was }: { model: Model; was: Model | null },
  tables: () => ReadonlySet<string>,
): void {
  const fields = joinedFields(model)
  const own = was === null ? [] : joinedFields(was).map((field) => joinOf(was, field).table)
  const problems = new Problems()
  const wrong = (name: string, message: string) => problems.add(wholeOf(name), message)
  for (const field of fields) {
    const join = joinOf(model, field)
    if (!own.includes(join.table) && tables().has(join.table))
      wrong(field.name, `The table ${join.table} already exists: use another name for ${field.name}.`)
    if (join.own === join.other)
      wrong(
        field.name,
        `Both columns of ${join.table} would have the name ${join.own}: use another name for ${field.name}.`,
      )
    if (!model.version)
      wrong(
        field.name,
        `A change of the ${field.name} is one of the ${model.names.human}, which needs a version: remove --no-version.`,
      )
  }
  problems.raise()
}
