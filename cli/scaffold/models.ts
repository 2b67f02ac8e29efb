import { FIELD_TYPES, type Field, type FieldType, type Model, type Target } from './model.ts'
import { namesOf } from './read/names.ts'

/** Models for tests, as the command line would make them. */

type Options = Partial<Omit<Field, 'name' | 'type'>>

export function field(name: string, type: FieldType, options: Options = {}): Field {
  const column = type === 'references' ? `${name}_id` : name
  return {
    name,
    column,
    label: namesOf(name, { plural: name }).title,
    type,
    nullable: false,
    unique: false,
    index: false,
    private: false,
    ...(type === 'boolean' && { default: false }),
    ...(type === 'references' && { onDelete: 'restrict' }),
    ...(type === 'decimal' && { precision: 12, scale: 2 }),
    ...options,
  }
}

const users: Target = { names: namesOf('user'), label: 'name', id: 'bigint', isUser: true, isSelf: false }

export const toUser = (name: string, options: Options = {}): Field =>
  field(name, 'references', { target: users, ...options })

/** A reference to a model that is scaffolded before. */
export const toModel = (name: string, { names, label, id }: Model, options: Options = {}): Field =>
  field(name, 'references', {
    target: { names, label: label?.column ?? 'id', id, isUser: false, isSelf: false },
    ...options,
  })

/** A reference to another record of the same model, which is called so. */
export const toSelf = (name: string, resource: string, label: string, options: Options = {}): Field =>
  field(name, 'references', {
    target: { names: namesOf(resource), label, id: 'bigint', isUser: false, isSelf: true },
    nullable: true,
    ...options,
  })

type ModelOptions = Partial<Omit<Model, 'names' | 'fields'>>

export function model(resource: string, fields: readonly Field[], options: ModelOptions = {}): Model {
  return {
    names: namesOf(resource),
    fields,
    label: fields.find(({ type, private: secret }) => type === 'string' && !secret) ?? null,
    owner: fields.find(({ name, target }) => target?.isUser && OWNERS.includes(name)) ?? null,
    cursor: null,
    readers: 'members',
    api: true,
    id: 'bigint',
    softDelete: false,
    version: false,
    tests: true,
    ...options,
  }
}

const OWNERS = ['owner', 'author', 'user']

const published = field('published', 'boolean')

/** The sample's. */
export const postModel = model(
  'post',
  [field('title', 'string', { min: 1, max: 200 }), field('body', 'text'), published, toUser('author')],
  { readers: { when: published } },
)

const everyType = FIELD_TYPES.filter((type) => type !== 'references' && type !== 'enum').map((type) =>
  field(`a_${type}`, type),
)
const everyNullableType = everyType.map((given) => ({ ...given, nullable: true }))
const state = field('state', 'enum', { values: ['fresh', 'dried', 'lost'] })

const category = model('category', [field('name', 'string')])
const folderModel = model('folder', [field('name', 'string'), toUser('owner')], { id: 'uuid' })
const open = field('open', 'boolean')
const happenedAt = field('happened_at', 'datetime')

/** What a generator stumbles over, parents first. */
export const MATRIX: Readonly<Record<string, Model>> = {
  'every type': model('specimen', [...everyType, state, toUser('keeper')]),
  'every type, or nothing': model('trace', [
    ...everyNullableType,
    { ...state, nullable: true },
    toUser('keeper', { nullable: true }),
  ]),
  'every modifier': model('measurement', [
    field('name', 'string', { min: 3, max: 120, unique: true }),
    field('note', 'text', { nullable: true, max: 500 }),
    field('level', 'integer', { min: 0, max: 130, default: 5, index: true }),
    field('total', 'bigint', { nullable: true, index: true, min: 0 }),
    field('price', 'decimal', { default: '0', max: 100 }),
    field('ratio', 'float', { min: 0, max: 1 }),
    field('done', 'boolean', { default: true }),
    field('due', 'date', { nullable: true, default: '2026-01-31' }),
    field('code', 'uuid', { unique: true }),
    field('mail', 'email', { nullable: true, unique: true }),
    field('path', 'slug', { unique: true }),
    field('state', 'enum', { values: ['draft', "it's", 'published'], default: 'draft' }),
    field('secret', 'string', { nullable: true, private: true }),
  ]),
  'no field at all': model('rack', [field('name', 'string')]),
  'nothing but booleans': model('flag', [
    field('hot', 'boolean'),
    field('cold', 'boolean', { default: true }),
  ]),
  'an irregular plural': category,
  'nothing but references': model('bookmark', [toModel('post', postModel), toModel('category', category)]),
  'two references to one table, and to itself': model(
    'task_item',
    [
      toSelf('parent', 'task_item', 'id'),
      toUser('assignee'),
      toUser('reviewer', { nullable: true, onDelete: 'set null' }),
    ],
    { label: null },
  ),
  'a unique string': model('coupon', [field('code', 'string', { unique: true })]),
  'an enum with a default': model('ticket', [
    field('title', 'string'),
    field('status', 'enum', { values: ['open', 'closed'], default: 'open' }),
  ]),
  'two words': model('BlogPost', [field('title', 'string'), toUser('user')]),
  'a person': model('person', [field('name', 'string')]),
  'a child': model('child', [
    field('name', 'string'),
    toModel('parent', model('person', [field('name', 'string')]), { nullable: true }),
  ]),
  'no plural': model('sheep', [field('name', 'string'), field('born_on', 'date')]),
  'forty columns': model(
    'wide_table',
    Array.from({ length: 40 }, (_, index) =>
      field(`column_${index + 1}`, index % 4 === 3 ? 'integer' : 'string', { nullable: index > 0 }),
    ),
  ),
  'read by everybody': model('notice', [field('title', 'string'), field('text', 'text')], {
    readers: 'everybody',
  }),
  'read by everybody, owned': model('essay', [field('title', 'string'), toUser('author')], {
    readers: 'everybody',
  }),
  'open to everybody where it says so': model('shop', [field('name', 'string'), open], {
    readers: { when: open },
  }),
  'a cursor': model('event_entry', [field('title', 'string'), happenedAt], { cursor: 'happened_at' }),
  'no API': model('memo', [field('text', 'text'), toUser('owner')], { api: false }),
  uuids: folderModel,
  'below uuids': model('leaflet', [
    toModel('folder', folderModel),
    toSelf('next', 'leaflet', 'title'),
    field('title', 'string'),
  ]),
  'uuids, and to itself': model(
    'node_item',
    [
      field('title', 'string'),
      field('next', 'references', {
        target: { names: namesOf('node_item'), label: 'title', id: 'uuid', isUser: false, isSelf: true },
        nullable: true,
      }),
    ],
    { id: 'uuid' },
  ),
  'a trash and versions': model('contract', [field('title', 'string'), toUser('owner')], {
    softDelete: true,
    version: true,
  }),
  'words of SQL': model('order', [
    field('group', 'string', { min: 1, max: 20 }),
    field('limit', 'integer', { min: 1, index: true }),
  ]),
  'names that code has too': model('page', [
    field('title', 'string'),
    field('form', 'text'),
    toUser('owner'),
  ]),
  'a name that the layout has too': model('status', [field('name', 'string'), toUser('member')]),
  'a name that rules have too': model('ctx', [field('title', 'string'), toUser('owner')]),
  'a name that code has too': model('form', [field('title', 'string'), toUser('owner')]),
  'a plural that code has too': model('value', [
    field('input', 'string'),
    toUser('reader', { nullable: true }),
  ]),
  'names that are cut': model('a_very_long_name_of_a_resource', [
    field('and_a_very_long_name_of_a_column_in_it', 'string', { unique: true, index: true }),
    toUser('and_the_name_of_a_reference_which_is_long', { nullable: true, onDelete: 'cascade' }),
  ]),
}
