/** Every form of a resource's name, worked out once. For `blog_post`: */
export interface Names {
  /** `BlogPost`: what the resource is declared as. */
  readonly resource: string
  /** `BlogPost`: its constant, and the type of its rows; `ErrorRecord` where code has another `Error`. */
  readonly type: string
  /** `blogPost`: the beginning of what its policy, its scope and its routes are called. */
  readonly one: string
  /** `blogPost`: what code and views call one record; `pageRecord` where they call something else `page`. */
  readonly record: string
  /** `blogPosts`: the repository. Another word than `one`, also where the plural is the same. */
  readonly many: string
  /** `blog-post`: the beginning of file names. */
  readonly file: string
  /** `blog-posts`: the folder in `app/` and `views/`, and the path of the routes. */
  readonly folder: string
  /** `blog_posts` */
  readonly table: string
  /** `blog post` and `blog posts`, in the middle of a sentence. */
  readonly human: string
  readonly humans: string
  /** `Blog post` and `Blog posts`, at the beginning of one. */
  readonly title: string
  readonly titles: string
}

export const FIELD_TYPES = [
  'string',
  'text',
  'integer',
  'bigint',
  'decimal',
  'float',
  'boolean',
  'date',
  'time',
  'datetime',
  'uuid',
  'json',
  'email',
  'url',
  'slug',
  'enum',
  'references',
] as const
export type FieldType = (typeof FIELD_TYPES)[number]

/** The types whose values have an order that people know: a list can be sorted by them. */
export const ORDERED_TYPES: readonly FieldType[] = [
  'string',
  'integer',
  'bigint',
  'decimal',
  'float',
  'date',
  'time',
  'datetime',
  'email',
  'url',
  'slug',
]

/** What a field that refers to another record refers to: a resource that is there, or the new one itself. */
export interface Target {
  readonly names: Names
  /** The column by which people know a record of it; `id` where there is none. */
  readonly label: string
  readonly id: IdKind
  readonly isUser: boolean
  readonly isSelf: boolean
}

export type IdKind = 'bigint' | 'uuid'

export interface Field {
  /** As it was given, in snake_case: `published`, `author`. */
  readonly name: string
  /** `published`, `author_id`. */
  readonly column: string
  /** `Published`, `Author`. */
  readonly label: string
  readonly type: FieldType
  readonly nullable: boolean
  readonly unique: boolean
  readonly index: boolean
  /** Never shown and never logged: hidden, and no part of the input. */
  readonly private: boolean
  /** In the form that the type has in code: a number for `integer` and `float`, text for `bigint`, `decimal` and dates. */
  readonly default?: string | number | boolean
  /** Of a number its value, of a text its length in characters. */
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

/** A resource to be: what a command line asks for, checked and complete. */
export interface Model {
  readonly names: Names
  readonly fields: readonly Field[]
  /** The column by which people know a record; null for its id. */
  readonly label: Field | null
  /** Whose records they are; null where they are everybody's. Never nullable, always a reference to users. */
  readonly owner: Field | null
  /** The column of a cursor list in place of numbered pages; null for pages. */
  readonly cursor: string | null
  /** Who may read: who signed in (the owner, where there is one), everybody, or everybody where this boolean is true. */
  readonly readers: 'members' | 'everybody' | { readonly when: Field }
  readonly api: boolean
  readonly id: IdKind
  readonly softDelete: boolean
  readonly version: boolean
  readonly tests: boolean
}

export interface GeneratedFile {
  /** From the root of the project, with slashes. */
  readonly path: string
  readonly text: string
}
