import { constraintName } from 'pergola/database'
import { altered } from '../code/added-columns.ts'
import { literal } from '../code/snippets.ts'
import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import { type Problems, wholeOf } from '../read/command-line-problems.ts'
import type { ChangedModel, FieldChange } from './change-model.ts'
import { columnSteps, type TableChange, typeOf, undone } from './changed-columns.ts'
import { columnParts, partsCreated } from './column-parts.ts'

/** The statements of a migration. */
export interface Steps {
  readonly up: readonly string[]
  readonly down: readonly string[]
}

/** The migration of this version, and that of the next one, which runs when the version before this one has stopped. */
export interface TwoSteps {
  readonly now: Steps
  readonly later: Steps
}

type Kept = FieldChange & { readonly to: Field }

const isKept = (change: FieldChange): change is Kept => change.to !== null
const isMoved = ({ from, to }: FieldChange) => to !== null && from.column !== to.column
const isRequired = ({ from, to }: FieldChange) => to !== null && from.nullable && !to.nullable

/** Reports the changes that one version of the application can't carry out beside another. */
export function checkTwoSteps(fields: readonly FieldChange[], problems: Problems): void {
  for (const change of fields.filter(isKept)) {
    const { from, to } = change
    const isRetyped = typeOf(from) !== typeOf(to)
    if (isRetyped && !isMoved(change))
      problems.add(
        wholeOf('--two-steps'),
        `For a while the table has both columns, so ${from.name} needs another name: add --rename ${from.name}:new_name.`,
      )
    else if (isRequired(change) && (isMoved(change) || isRetyped))
      problems.add(wholeOf('--two-steps'), `Require ${to.name} with a second command, after this change.`)
  }
}

/** Returns the migrations of a change during which the old version of the application serves. */
export function twoSteps({ was, model, fields }: ChangedModel): TwoSteps {
  const kept = fields.filter(isKept)
  const rest: TableChange = {
    was,
    model,
    fields: kept.filter((change) => !isMoved(change) && !isRequired(change)),
  }
  const steps = [
    { now: { up: columnSteps(rest), down: columnSteps(undone(rest)) }, later: NOTHING },
    ...kept.filter(isMoved).map((change) => moved({ was, model }, change)),
    ...kept.filter(isRequired).map(({ to }) => required(model, to)),
    ...fields.filter((change) => !isKept(change)).map(({ from }) => removed(was, from)),
  ]
  return { now: joined(steps.map(({ now }) => now)), later: joined(steps.map(({ later }) => later)) }
}

const NOTHING: Steps = { up: [], down: [] }

const joined = (all: readonly Steps[]): Steps => ({
  up: all.flatMap(({ up }) => up),
  down: all.toReversed().flatMap(({ down }) => down),
})

/** A trigger copies each write to the other column. The default follows when only one of them is left. */
function moved({ was, model }: { was: Model; model: Model }, { from, to }: Kept): TwoSteps {
  const { table } = model.names
  const [add, drop] = copying(table, from, to)
  return {
    now: {
      up: [
        ...filled(model, from, to),
        ...add,
        // The new version writes NULL, which must not become the default.
        ...(to.nullable ? usual(table, from, null) : []),
      ],
      down: [...(to.nullable ? usual(table, null, from) : []), ...drop, dropped(table, to)],
    },
    later: {
      up: [...drop, dropped(table, from), ...usual(table, null, to)],
      down: [...usual(table, to, null), ...filled(was, to, from), ...add, ...usual(table, null, from)],
    },
  }
}

/** Adds a column with the values of another one, and with its own constraints and indexes. */
function filled(model: Model, from: Field, field: Field): string[] {
  const { table } = model.names
  const parts = columnParts(model).filter((part) => part.field === field)
  return [
    added(table, field),
    `await sql\`update ${sqlName(table)} set ${sqlName(field.column)} = ${valueFor(field, from)}\`.execute(db)`,
    ...(field.nullable ? [] : [column(table, field, 'setNotNull()')]),
    ...partsCreated(model, parts),
  ]
}

/** Drops the default of one field, or sets that of another one. */
const usual = (table: string, from: Field | null, to: Field | null): string[] => [
  ...(from?.default === undefined ? [] : [column(table, from, 'dropDefault()')]),
  ...(to?.default === undefined ? [] : [column(table, to, `setDefault(${literal(to.default)})`)]),
]

/** Rows of the old version may have no value until it stops. Only new values are checked before. */
function required({ names: { table } }: Model, field: Field): TwoSteps {
  const name = constraintName(table, field.column, 'required')
  const [owner, constraint] = [sqlName(table), sqlName(name)]
  return {
    now: {
      up: [
        `await sql\`alter table ${owner} add constraint ${constraint} check (${sqlName(field.column)} is not null) not valid\`.execute(db)`,
      ],
      down: [altered(table, `dropConstraint('${name}').ifExists()`)],
    },
    later: {
      up: [
        `// Fails if a row has no ${field.column}: give these rows a value first.`,
        `await sql\`alter table ${owner} validate constraint ${constraint}\`.execute(db)`,
        column(table, field, 'setNotNull()'),
        altered(table, `dropConstraint('${name}')`),
      ],
      down: [column(table, field, 'dropNotNull()')],
    },
  }
}

/** The new version writes no value, so that the old column must accept rows without one. */
function removed(was: Model, field: Field): TwoSteps {
  const { table } = was.names
  const isNeeded = !field.nullable && field.default === undefined
  const undo: TableChange = { was, model: was, fields: [{ from: null, to: field }] }
  return {
    now: isNeeded
      ? {
          up: [column(table, field, 'dropNotNull()')],
          down: ['// Stays nullable: the new version has written rows without a value.'],
        }
      : NOTHING,
    later: { up: [dropped(table, field)], down: columnSteps(undo) },
  }
}

const column = (table: string, field: Field, step: string): string =>
  altered(table, `alterColumn('${field.column}', (column) => column.${step})`)

const added = (table: string, field: Field): string =>
  altered(table, `addColumn('${field.column}', '${typeOf(field)}')`)

const dropped = (table: string, { column }: Field): string => altered(table, `dropColumn('${column}')`)

/** Returns the value of one column for another one. */
const valueFor = (field: Field, from: Field, row = ''): string =>
  `${row}${sqlName(from.column)}${typeOf(from) === typeOf(field) ? '' : `::${typeOf(field)}`}`

/** Returns the statements that create the trigger, and those that drop it. */
function copying(table: string, from: Field, to: Field): [add: string[], drop: string[]] {
  const name = sqlName(constraintName(table, from.column, `to_${to.column}`))
  const [a, b] = [sqlName(from.column), sqlName(to.column)]
  const body = `
    create function ${name}() returns trigger language plpgsql as $$ begin
      if tg_op = 'INSERT' then
        new.${b} := coalesce(new.${b}, ${valueFor(to, from, 'new.')});
        new.${a} := ${valueFor(from, to, 'new.')};
      elsif new.${b} is distinct from old.${b} then
        new.${a} := ${valueFor(from, to, 'new.')};
      else
        new.${b} := ${valueFor(to, from, 'new.')};
      end if;
      return new;
    end $$`
  return [
    [
      '// The old version writes and reads the old column, and the new version the new one.',
      `await sql\`${body}\`.execute(db)`,
      `await sql\`create trigger ${name} before insert or update on ${sqlName(table)} for each row execute function ${name}()\`.execute(db)`,
    ],
    [
      `await sql\`drop trigger if exists ${name} on ${sqlName(table)}\`.execute(db)`,
      `await sql\`drop function if exists ${name}()\`.execute(db)`,
    ],
  ]
}
