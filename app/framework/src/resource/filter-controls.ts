import { z } from 'zod'
import { type FieldKind, fieldFacts } from './fields/field-kind.ts'
import { humanize } from './humanize.ts'
import type { ListFilter } from './list-filters.ts'

/** A filter of the search form with its values and their labels. */
export interface FilterChoice {
  readonly name: string
  readonly label: string
  readonly options: readonly (readonly [value: string, text: string])[]
  /** True for a filter with several values. Defaults to false. */
  readonly multiple?: boolean
}

/** A range of the search form: an input for each bound. */
export interface FilterRange {
  readonly name: string
  readonly label: string
  /** The type of the inputs. */
  readonly range: 'date' | 'datetime-local' | 'number' | 'time'
}

/** A filter of the search form by the records that a column refers to. */
export interface FilterRecords {
  readonly name: string
  readonly label: string
  /** Whether a row passes with one of the chosen records, or with all of them. */
  readonly match: 'any' | 'all'
  /** The records that the form offers: see `withFilterChoices`. */
  readonly records?: RecordOptions
}

export interface RecordOptions {
  readonly options: readonly (readonly [value: string, text: string])[]
  /** Whether the options include other records than the chosen ones. */
  readonly isOpen: boolean
  /** Whether there are so many records that the user searches them. */
  readonly searchable: boolean
  /** Whether there are more records than the options. */
  readonly more: boolean
  /** The search text; empty without a search. */
  readonly q: string
}

export type FilterField = FilterChoice | FilterRange | FilterRecords

/** Returns the controls of the filters that have a label. Throws for one whose control is not known from its schema. */
export const filterControls = (
  resource: string,
  filters: Readonly<Record<string, ListFilter>>,
  references: object,
): readonly FilterField[] =>
  Object.entries(filters).flatMap(([name, filter]): FilterField[] => {
    if (!('kind' in filter) || filter.control === undefined) return []
    if (Object.hasOwn(references, name) && !['one', 'range'].includes(filter.kind) && !filter.control.options)
      return [{ name, label: filter.control.label, match: filter.kind === 'all' ? 'all' : 'any' }]
    const control = filter.kind === 'range' ? rangeOf(name, filter) : choiceOf(name, filter)
    if (control !== null) return [control]
    throw new Error(
      `${resource}: the control of the filter '${name}' is not known. ` +
        'Declare options for single values, and use a field of dates, times or numbers for a range.',
    )
  })

type Declared<Kind> = Extract<ListFilter, { readonly kind: Kind }>

function rangeOf(name: string, { schema, control }: Declared<'range'>): FilterRange | null {
  const range = INPUTS[fieldFacts(schema).kind]
  return range === undefined ? null : { name, label: control?.label ?? name, range }
}

const INPUTS: Readonly<Partial<Record<FieldKind, FilterRange['range']>>> = {
  date: 'date',
  datetime: 'datetime-local',
  time: 'time',
  number: 'number',
  numeric: 'number',
}

function choiceOf(
  name: string,
  { kind, schema, control }: Declared<'one' | 'several' | 'all'>,
): FilterChoice | null {
  const { label = name, options } = control ?? {}
  const values = options === undefined ? valuesOf(schema, label) : Object.entries(options)
  if (values === null) return null
  return kind === 'several' || kind === 'all'
    ? { name, label, options: values, multiple: true }
    : { name, label, options: [['', `${label}: any`], ...values] }
}

function valuesOf(schema: z.ZodType, label: string): [string, string][] | null {
  if (schema instanceof z.ZodEnum)
    return schema.options.map((value) => [String(value), humanize(String(value))])
  const isBoolean = schema instanceof z.ZodPipe && schema.out instanceof z.ZodBoolean
  return isBoolean
    ? ['true', 'false'].map((value) => [value, `${label}: ${value === 'true' ? 'yes' : 'no'}`])
    : null
}
