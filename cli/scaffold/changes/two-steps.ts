import { sqlName } from '../code/sql-names.ts'
import type { Field } from '../field-types/field-type.ts'
import type { Model } from '../model.ts'
import type { ChangedModel, FieldChange } from './change-model.ts'
import {
  changedParts,
  columnAdded,
  columnChanged,
  columnDropped,
  columnSteps,
  defaultSteps,
  requiredSteps,
  type TableChange,
  typeOf,
  undone,
} from './changed-columns.ts'
import {
  type ColumnPart,
  columnParts,
  isWideKey,
  keysCreated,
  partDropped,
  partsCreated,
} from './column-parts.ts'
import { triggerSteps, valueFor } from './copy-trigger.ts'
import { isMoved, isRequired } from './two-step-problems.ts'

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

interface KeptColumns extends TableChange {
  readonly fields: readonly Kept[]
}

const isKept = (change: FieldChange): change is Kept => change.to !== null

/** Returns the migrations of a change during which the old version of the application serves. */
export function twoSteps({ was, model, fields }: ChangedModel): TwoSteps {
  const kept = fields.filter(isKept)
  const moved = kept.filter(isMoved)
  const [old, renamed] = [moved.map(({ from }) => from), moved.map(({ to }) => to)]
  const steps = [
    // A key is created after all of its columns. The statements of `down` run from the last to the first.
    { now: NONE, later: { up: [], down: keysCreated(was, old) } },
    ...moved.map((change) => copySteps({ was, model }, change)),
    { now: { up: keysCreated(model, renamed), down: [] }, later: NONE },
    sameColumnSteps({ was, model, fields: kept.filter((change) => !isMoved(change)) }),
    removalSteps(
      was,
      fields.filter((change) => !isKept(change)).map(({ from }) => from),
    ),
  ]
  return {
    now: concatenated(steps.map(({ now }) => now)),
    later: concatenated(steps.map(({ later }) => later)),
  }
}

const NONE: Steps = { up: [], down: [] }

const concatenated = (all: readonly Steps[]): Steps => ({
  up: all.flatMap(({ up }) => up),
  down: all.toReversed().flatMap(({ down }) => down),
})

/**
 * Neither version may violate a check of the other one, so the new checks, and a required value, come later. The old checks
 * don't come back: a row of the new version may violate them.
 */
function sameColumnSteps({ was, model, fields }: KeptColumns): TwoSteps {
  const isLater = fields.filter(isRequired)
  const now = { was, model, fields: fields.filter((change) => !isRequired(change)) }
  const { created, dropped } = changedParts(now)
  const checks = created.filter(({ use }) => use === 'check')
  const others = new Set([
    ...checks.flatMap((part) => [part.code, partDropped(model, part)]),
    ...dropped.filter(({ use }) => use === 'check').map(({ code }) => code),
  ])
  return {
    now: {
      up: columnSteps(now).filter((step) => checks.every(({ code }) => code !== step)),
      down: columnSteps(undone(now)).filter((step) => !others.has(step)),
    },
    later: {
      up: [...partsCreated(model, checks), ...isLater.flatMap(({ to }) => requiredSteps(model, to))],
      down: [
        ...isLater.map(({ to }) => columnChanged(model, to, 'dropNotNull()')),
        ...checks.map((part) => partDropped(model, part)),
      ],
    },
  }
}

/** A trigger copies each write to the other column. The old column accepts every value of the new one. */
function copySteps({ was, model }: { was: Model; model: Model }, { from, to }: Kept): TwoSteps {
  const trigger = triggerSteps(model, from, to)
  const own = columnParts(model).find(({ field, use }) => field === to && use === 'check')
  const checks = columnParts(was).filter(
    ({ field, use, definition }) => field === from && use === 'check' && definition !== own?.definition,
  )
  const isLooser = to.nullable || typeOf(from) !== typeOf(to)
  const loosened = [
    ...checks.map((part) => partDropped(was, part)),
    ...(isLooser && !from.nullable ? [columnChanged(was, from, 'dropNotNull()')] : []),
    // NULL of the new version must not become the default.
    ...(to.nullable ? defaultSteps(was, from, null) : []),
  ]
  return {
    now: {
      up: [...copied(model, from, to), ...loosened, ...trigger.create],
      // The old column keeps the values of the new version, which its declaration may not allow.
      down: [
        ...trigger.drop,
        ...(to.nullable ? defaultSteps(was, null, from) : []),
        ...columnDropped(model, to),
      ],
    },
    later: {
      up: [...trigger.drop, ...columnDropped(model, from), ...defaultSteps(model, null, to)],
      down: [
        ...defaultSteps(model, to, null),
        ...copied(was, to, { ...from, nullable: from.nullable || isLooser }, checks),
        ...defaultSteps(was, null, to.nullable ? null : from),
        ...trigger.create,
      ],
    },
  }
}

/** Adds a column with the values of another one, its constraints and its indexes. Its default would hide other values. */
function copied(
  model: Model,
  from: Field,
  { default: _default, ...field }: Field,
  without: readonly ColumnPart[] = [],
): string[] {
  const names = without.map(({ name }) => name)
  const parts = columnParts(model).filter(
    (part) => part.field.column === field.column && !names.includes(part.name) && !isWideKey(part),
  )
  return [
    columnAdded(model, field),
    `await sql\`update ${sqlName(model.names.table)} set ${sqlName(field.column)} = ${valueFor(field, from)}\`.execute(db)`,
    ...(field.nullable ? [] : [columnChanged(model, field, 'setNotNull()')]),
    ...partsCreated(model, parts),
  ]
}

/** The new version writes no value, so that the old columns must accept rows without one. */
function removalSteps(was: Model, fields: readonly Field[]): TwoSteps {
  const up = fields
    .filter((field) => !field.nullable && field.default === undefined)
    .map((field) => columnChanged(was, field, 'dropNotNull()'))
  const down = up.length > 0 ? ['// Stays nullable: the new version has written rows without a value.'] : []
  const added: TableChange = { was, model: was, fields: fields.map((to) => ({ from: null, to })) }
  return {
    now: { up, down },
    later: { up: fields.flatMap((field) => columnDropped(was, field)), down: columnSteps(added) },
  }
}
