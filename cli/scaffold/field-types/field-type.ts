import type { z } from 'zod'
import type { Names } from '../read/names.ts'
import type { Part, Problems } from '../read/command-line-problems.ts'

/**
 * Everything the generator knows about one type of field. To add a type, write a file like `date.ts` and add it to the
 * list in `field-types.ts`; `docs/contributing.md` shows an example.
 */
export interface FieldType {
  /** The word on the command line: `string` in `title:string`. */
  readonly name: string
  /** Words that other tools use for this type. The error message for such a word suggests `name`. */
  readonly aliases?: readonly string[]
  /** Whether the column holds the id of another record. */
  readonly isReference?: true

  /** Reads `{…}`, `:min(…)` and `:max(…)`. A type without it accepts none of them. */
  readonly readLimits?: (words: FieldWords, problems: Problems) => Limits
  /** Reads the default if `schema` is not enough. */
  readonly readDefault?: (part: Part | null, problems: Problems) => Field['default']
  /** The error messages for the modifiers that the type does not accept. */
  readonly rejects?: Readonly<Partial<Record<'nullable' | 'unique' | 'index', string>>>
  /** Reports problems that only the complete field shows. */
  readonly check?: (field: Field, words: FieldWords, problems: Problems) => void

  /** The type of the column in Postgres. */
  readonly sqlType: (field: Field) => string
  /** The check constraint of the column; null if the column's type is enough. */
  readonly constraint?: (field: Field, column: string) => Constraint | null
  /** Code of the value that existing rows get in a new column. Defaults to the first example. */
  readonly valueOfExistingRows?: string

  /** The TypeScript type of a value. */
  readonly tsType: (field: Field) => string
  /** The type that `tsType` needs from the framework. */
  readonly frameworkType?: string
  /** Code of the schema of the input, without `.nullable()` and `.default(…)`. */
  readonly schemaCode: (field: Field) => string
  /** The same schema, which checks the default on the command line. A type without it has no default. */
  readonly schema?: (field: FieldWithoutDefault) => z.ZodType

  /** Options of the form field: `type: 'date'`. Defaults to a one-line text input. */
  readonly inputOptions?: (field: Field) => readonly string[]
  /** A sentence below the form field. */
  readonly hint?: (field: Field) => string | undefined
  /** Markup of a value in lists and pages. Defaults to `<%= value %>`. */
  readonly markup?: (value: string) => string
  /** Markup of a value on the record's own page. Defaults to `markup`. */
  readonly detailMarkup?: (value: string) => string

  /** A value for each number. A type without it has no examples of its own. */
  readonly example?: (field: Field) => Example
  /**
   * Code of a realistic value for seeds and factories: `faker` is in scope, and `n` is the number of the record. Null if
   * the values would not be valid, or not be unique for a unique field. Then the example stands in.
   */
  readonly fakeCode?: (field: Field, names: Names) => string | null
  /** Text that the form rejects; null if the form rejects nothing. */
  readonly invalidText: (field: Field) => string | null
  /** Playwright calls that enter and change the value. Default to `fill(…)`. */
  readonly browserInput?: (field: Field) => { readonly enter: string; readonly change: string }

  /** Whether lists can be sorted by it. */
  readonly isSortable?: true
  /** Whether cursors can follow it. Defaults to `isSortable`. */
  readonly isCursor?: true
  /** Whether it can be the label of a record: chosen first, chosen if no other field fits, or only with `--label`. */
  readonly label?: 'first choice' | 'second choice' | 'with --label'
  /** Whether the search of a list looks into it. Such values are text that the user enters. */
  readonly isSearchable?: true
  /** How a list is filtered by it. */
  readonly filter?: Filter
  /** Whether lists have no column for it. */
  readonly isTooLongForLists?: true
  /** Whether the record's page shows it as paragraphs below the details. */
  readonly isLongText?: true
  /** Whether any text is valid, so that the tests can enter HTML. */
  readonly acceptsAnyText?: true
  /** Whether the form shows the entered text again when it is rejected. Defaults to `isSearchable`. */
  readonly keepsEnteredText?: true
  /** Whether the value is a day or a moment, which a column headed “Date” could be confused with. */
  readonly isDate?: true
  /** Whether the form field is a checkbox, which sends nothing when it is cleared. */
  readonly isCheckbox?: true
}

/** A filter of a list. */
interface Filter {
  /** Code of the schema of the parameter. */
  readonly schemaCode: (field: Field) => string
  /** The choices in the search form; without them the filter is only in the address. */
  readonly choices?: (field: Field) => readonly Choice[]
}

export type Choice = readonly [value: string, text: string]

export interface Constraint {
  /** The end of its name: `length` in `posts_title_length`. */
  readonly suffix: string
  readonly condition: string
}

export type ExampleValue = string | number | boolean | { readonly example: number }

/** A value for each number `n`, and code that computes it from a variable or an operand. */
export interface Example<Value extends ExampleValue = ExampleValue> {
  readonly value: (n: number) => Value
  /** Correct for `n` below 1000. */
  readonly code: (n: string) => string
  /** The text that a user enters for the value, if it is not the value itself. */
  readonly entered?: (n: number) => string
  /** The function of `app/db/seeding.ts` that the code calls. */
  readonly helper?: string
}

/** The resource that a field refers to: an existing one, or the new resource itself. */
export interface Target {
  readonly names: Names
  /** The column that labels its records; `id` without a label. */
  readonly label: string
  readonly id: IdKind
  readonly isUser: boolean
  readonly isSelf: boolean
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
  readonly index: boolean
  /** Never shown and never logged: hidden, and not part of the input. */
  readonly private: boolean
  /** As code has it: a number for `integer` and `float`, text for `bigint`, `decimal` and dates. */
  readonly default?: string | number | boolean
  /** The least value of a number, or the least number of characters of a text. */
  readonly min?: number
  readonly max?: number
  /** `decimal{12,2}` */
  readonly precision?: number
  readonly scale?: number
  /** `enum{draft,published}` */
  readonly values?: readonly string[]
  readonly target?: Target
  readonly onDelete?: 'restrict' | 'cascade' | 'set null'
}

export type FieldWithoutDefault = Omit<Field, 'default'>

export type Limits = Pick<Field, 'min' | 'max' | 'precision' | 'scale' | 'values' | 'onDelete'>

/** A field of the command line, cut into words; its values are still text. */
export interface FieldWords {
  readonly token: string
  readonly name: Part
  readonly type: FieldType
  /** `user` in `author:references:user`. */
  readonly target: Part | null
  readonly constraints: readonly Part[]
  readonly default: Part | null
  readonly min: Part | null
  readonly max: Part | null
  readonly nullable: Part | null
  readonly required: Part | null
  readonly unique: Part | null
  readonly index: Part | null
  readonly private: Part | null
}
