import type { z } from 'zod'
import type { Currency } from '../money/currency.ts'
import type { Names } from '../read/names.ts'
import type { Part, Problems } from '../read/command-line-problems.ts'

/**
 * The properties of a type of field. The generator derives all code from them. To add a type, write a file like `date.ts`
 * and add it to the list in `field-types.ts`; `docs/contributing.md` shows an example.
 */
export interface FieldType {
  /** The word on the command line: `string` in `title:string`. */
  readonly name: string
  /** The names of this type in other tools. The error message for such a name suggests `name`. */
  readonly aliases?: readonly string[]
  /** Whether the values are ids of other records: one in the column, or with `isList` several in a join table. */
  readonly isReference?: true
  readonly isList?: true
  /** Whether a column has several values, or none. */
  readonly isArray?: true
  /** Whether the word may name another field, `money(currency)`, and the next one be a constraint: `money:EUR`. */
  readonly takesField?: true
  /** Parses `{…}`, `:min(…)` and `:max(…)`, and returns the default if none is declared. If missing, the type accepts no limits. */
  readonly readLimits?: (words: FieldWords, problems: Problems) => Limits
  /** The error messages for the modifiers that the type does not accept. */
  readonly rejects?: Readonly<Partial<Record<'nullable' | 'unique' | 'index', string>>>
  /** Reports problems that depend on several parts of the field. */
  readonly check?: (field: Field, words: FieldWords, problems: Problems) => void

  /** The type of the column in Postgres. Defaults to `text`. */
  readonly sqlType?: (field: Field) => string
  /** Returns the check constraint of the column; null if the column's type is sufficient. */
  readonly constraint?: (field: Field, column: string) => Constraint | null
  /** The code of the value for existing rows in a new column. Defaults to the first example. */
  readonly valueOfExistingRows?: string

  /** The TypeScript type of a value. Defaults to `string`. */
  readonly tsType?: (field: Field) => string
  /** The type that `tsType` needs from the framework, and the names that the code needs from `pergola/features`. */
  readonly frameworkType?: string
  readonly features?: readonly string[]
  /** Code of the schema of the input, without `.nullable()` and `.default(…)`. Defaults to that of `field` with this name. */
  readonly schemaCode?: (field: Field) => string
  /** Returns the schema of `schemaCode`, which validates the default. If missing, the type has no default. */
  readonly schema?: (field: FieldWithoutDefault) => z.ZodType

  /** Options of the form field: `type: 'date'`. Defaults to a one-line text input. */
  readonly inputOptions?: (field: Field) => readonly string[]
  /** A sentence below the form field. */
  readonly hint?: (field: Field) => string | undefined
  /** Markup of a value: `<%= value %>` by default, and another one on the record's own page. */
  readonly markup?: (value: string, field: Field) => string
  readonly detailMarkup?: (value: string) => string

  /** Returns a value for each number. If missing, the type has no examples. */
  readonly example?: (field: Field) => Example
  /** Code of a realistic value, with `faker` and the record's number `n`. Null if the example is used: it is valid and unique. */
  readonly fakeCode?: (field: Field, names: Names) => string | HelpedCode | null
  /** Code of a value that a seed does not contain yet, in place of `fakeCode`. */
  readonly seedCode?: (field: Field, names: Names) => HelpedCode | null
  /** Returns the largest number of records in a seed, whose names would repeat beyond it. */
  readonly fakeLimit?: (field: Field, names: Names) => number
  /** Returns a text that the form rejects; null if the form accepts every text. */
  readonly invalidText: (field: Field) => string | null
  /** Playwright calls that enter and change the value. Default to `fill(…)`. */
  readonly browserInput?: (field: Field) => { readonly enter: string; readonly change?: string }

  /** Whether lists can be sorted by the field, and whether a cursor can use it, which defaults to that. */
  readonly isSortable?: true
  readonly isCursor?: true
  /** Whether the field can label a record: as the first choice, if no first choice exists, or only with `--label`. */
  readonly label?: 'first choice' | 'second choice' | 'with --label'
  /** Whether the search of a list includes the field. Its values must be text. */
  readonly isSearchable?: true
  readonly filter?: Filter
  /** Whether lists align the values to the end. */
  readonly isAlignedToEnd?: true
  /** Whether values are too long for a column of a list, and whether the record's page shows them as paragraphs. */
  readonly isTooLongForLists?: true
  readonly isLongText?: true
  /** Whether any text is valid, so that the tests can enter HTML. */
  readonly acceptsAnyText?: true
  /** Whether the form shows the entered text again after an error. Defaults to `isSearchable`. */
  readonly keepsEnteredText?: true
  /** Whether the value is a date. The user could confuse it with the column “Date”. */
  readonly isDate?: true
  /** Whether the form field is a checkbox, which sends nothing when it is cleared, or a group of them. */
  readonly isCheckbox?: true
  readonly isGroup?: true
}

interface Filter {
  readonly schemaCode: (field: Field) => string
  /** Whether it accepts several values. */
  readonly isSeveral?: true
  /** The type of the two inputs in the search form, for a filter with a lower and an upper bound. */
  readonly range?: 'date' | 'datetime-local' | 'number'
  /** Whether the search form has choices. Without them and inputs, the filter is a parameter of the URL. */
  readonly hasChoices?: true
}

export interface Constraint {
  /** The end of its name: `length` in `posts_title_length`. */
  readonly suffix: string
  readonly condition: string
}

export type ExampleValue = string | number | boolean | readonly string[] | { readonly example: number }

/** A value for each number `n`, and code that computes it from a variable or an operand. */
export interface Example<Value extends ExampleValue = ExampleValue> {
  readonly value: (n: number) => Value
  /** Returns code that is correct for `n` below 1000. */
  readonly code: (n: string) => string
  /** Returns the text that a user enters for the value, if the text differs from the value. */
  readonly entered?: (n: number) => string
  readonly helper?: string
}

/** Code that calls a function of `app/db/seeding.ts`. */
export type HelpedCode = Readonly<Record<'code' | 'helper', string>>

/** The resource that a field refers to: an existing one, or the new resource itself. */
export interface Target {
  readonly names: Names
  /** The column that labels the records; `id` if they have no label. */
  readonly label: string
  readonly id: IdKind
  readonly isUser: boolean
  readonly isSelf: boolean
  /** Whether its records have no page of their own. */
  readonly isNested?: boolean
  /** Whether its resource refers to that of the field, directly or by others. Their files can't import each other. */
  readonly refersBack?: boolean
  /** The column with the tenant, which the key of the table begins with. */
  readonly tenant?: string
}

export type IdKind = 'bigint' | 'uuid'

export interface Field {
  /** The name from the command line in snake_case: `published`, `author`. */
  readonly name: string
  /** `published`, `author_id`. */
  readonly column: string
  /** `Published`, `Author`. */
  readonly label: string
  readonly type: FieldType
  readonly nullable: boolean
  readonly unique: boolean
  /** The names of the fields within which it is unique. Left out if it is unique in the whole table. */
  readonly within?: readonly string[]
  readonly index: boolean
  /** Whether the value is never shown or logged, and is not part of the form. */
  readonly private: boolean
  /** Whether a list of other records has an order of its own. */
  readonly ordered: boolean
  /** The default as a JavaScript value: a number for `integer` and `float`, text for `bigint`, `decimal` and dates. */
  readonly default?: string | number | boolean | readonly string[]
  /** The expression of a computed value: `price * quantity`. */
  readonly computed?: string
  /** The minimum of a number, or the minimum length of a text. */
  readonly min?: number
  readonly max?: number
  readonly precision?: number
  readonly scale?: number
  readonly currency?: Currency
  readonly values?: readonly string[]
  /** The states that follow each of the values, if only actions change it: `states{open>closed}`. */
  readonly next?: Readonly<Record<string, readonly string[]>>
  readonly target?: Target
  readonly onDelete?: 'restrict' | 'cascade' | 'set null'
}

export type FieldWithoutDefault = Omit<Field, 'default'>

export type Limits = Pick<
  Field,
  'min' | 'max' | 'default' | 'precision' | 'scale' | 'currency' | 'values' | 'next' | 'onDelete'
>

/** A field of the command line, split into words. Its values are not parsed yet. */
export interface FieldWords {
  readonly token: string
  readonly name: Part
  readonly type: FieldType
  /** `user` in `author:references:user`, and `currency` in `price:money(currency)`. */
  readonly target: Part | null
  readonly currency?: Currency
  readonly constraints: readonly Part[]
  readonly default: Part | null
  readonly min: Part | null
  readonly max: Part | null
  readonly nullable: Part | null
  readonly required: Part | null
  readonly unique: (Part & { readonly argument?: Part | null }) | null
  readonly index: Part | null
  readonly private: Part | null
  readonly ordered: Part | null
  readonly as: Part | null
}
