import { describe, expect, it } from 'vitest'
import type { Existing } from '../existing.ts'
import type { Target } from '../field-types/field-type.ts'
import { boolean } from '../field-types/boolean.ts'
import { string } from '../field-types/string.ts'
import { text } from '../field-types/text.ts'
import { namesOf } from './names.ts'
import type { ModelOptions } from './options.ts'
import { WrongCommandLine } from './command-line-problems.ts'
import { readModel } from './read-model.ts'

const target = (name: string, more: Partial<Target> = {}): Target => ({
  names: namesOf(name),
  label: 'name',
  id: 'bigint',
  isUser: false,
  isSelf: false,
  ...more,
})
const existing: Existing = {
  targets: [target('user', { isUser: true }), target('post', { label: 'title' }), target('human')],
  references: [],
  tables: new Set(['users', 'posts', 'humans', 'sessions']),
  folders: new Set(['users', 'posts', 'humans', 'sessions', 'account', 'feed', 'errors', 'reports', 'tasks']),
  paths: new Set(['', 'login', 'users', 'posts', 'humans', 'api', 'api/posts', 'feed', 'account', 'assets']),
  identifiers: new Set(['userRoutes', 'users', 'postRoutes', 'posts', 'seedPosts', 'resources']),
}

const read = (name: string, fields: string[] = [], options: ModelOptions = {}) =>
  readModel({ name, fields, options }, existing)
const fieldsOf = (...fields: string[]) => read('thing', fields).model.fields

/** Returns the marked text and the message of each problem of a command line. */
function refusal(name: string, fields: string[] = [], options: ModelOptions = {}): [string, string][] {
  try {
    read(name, fields, options)
  } catch (error) {
    if (!(error instanceof WrongCommandLine) || error.code !== 2) throw error
    return error.problems.map(({ token, at, length, message }) => [token.slice(at, at + length), message])
  }
  return []
}

describe('readModel', () => {
  it('reads the sample', () => {
    const { model, notes } = read(
      'post_card',
      ['title:string{1..200}', 'body:text', 'published:boolean', 'author:references:user'],
      { publicWhen: 'published' },
    )
    const [title, body, published, author] = model.fields
    expect(title).toEqual({
      name: 'title',
      column: 'title',
      label: 'Title',
      type: string,
      nullable: false,
      unique: false,
      index: false,
      private: false,
      ordered: false,
      min: 1,
      max: 200,
    })
    expect(body).toMatchObject({ type: text })
    expect(published).toMatchObject({ type: boolean, default: false })
    expect(author).toMatchObject({
      column: 'author_id',
      onDelete: 'restrict',
      target: { names: { resource: 'User' }, isUser: true },
    })
    expect(model).toMatchObject({
      names: { resource: 'PostCard' },
      label: title,
      owner: author,
      cursor: null,
      readers: { when: published },
      api: true,
      id: 'bigint',
      softDelete: false,
      version: false,
      tests: true,
    })
    expect(notes).toEqual([])
  })

  it.each([
    ['state:enum{draft,published}=draft', 'state:enum:draft,published:default(draft)'],
    ['title:string{3..120}', 'title:string:3..120'],
    ['title:string{3..120}', 'title:min(3):max(120)'],
    ['title:string{120}', 'title:string:..120'],
    ['price:decimal{10,3}', 'price:decimal:10,3'],
    ['price:decimal{10,3}{0..9.5}', 'price:decimal:10,3:0..9.5'],
    ['level:integer{-5..5}=-1', 'level:integer:-5..5:default(-1)'],
    ['note:text?', 'note:text:null'],
    ['code^', 'code:string:unique'],
    ['code!', 'code:string:required'],
    ['code', 'code:string'],
    ['firstName', 'first_name'],
    ['first-name:string', 'first_name'],
    ['author:references:user', 'author_id:references:users'],
    ['post:references', 'post:references:post'],
    ['at:datetime=2026-01-31T10:00', 'at:datetime:default(2026-01-31T10:00Z)'],
  ])('reads %s as %s', (one, other) => {
    expect(fieldsOf(one)).toEqual(fieldsOf(other))
  })

  it.each([
    ['level:integer{0..130}=5', { min: 0, max: 130, default: 5 }],
    ['price:decimal=0', { precision: 12, scale: 2, default: '0.00' }],
    ['total:bigint=9007199254740993', { default: '9007199254740993' }],
    ['ratio:float{0..1}=0.5', { min: 0, max: 1, default: 0.5 }],
    ['done:boolean=true', { default: true }],
    ['at:time=09:30', { default: '09:30:00' }],
    ['note:string=a: b=c?', { default: 'a: b=c?' }],
    ['secret:string?:private', { private: true, nullable: true }],
    ['total:bigint?:index', { index: true, nullable: true }],
    ['parent:references:self?{null}', { nullable: true, onDelete: 'set null', target: { isSelf: true } }],
    ['thing:references?', { target: { isSelf: true } }],
    ['state:enum{a,b}', { values: ['a', 'b'] }],
    ['prototype:enum{prototype,final}', { name: 'prototype', values: ['prototype', 'final'] }],
  ])('reads the declaration %s', (token, field) => {
    expect(fieldsOf(token)[0]).toMatchObject(field)
  })

  it('adds a name to a model without fields, and reports it', () => {
    const { model, notes } = read('shelf')
    expect(model.fields).toMatchObject([{ name: 'name', type: string }])
    expect(model.names.table).toBe('shelves')
    expect(notes).toEqual(['Without declared fields, the resource has one field: name:string.'])
  })

  it('reports how it chose the singular or the repository', () => {
    expect(read('news', ['title']).notes).toEqual([
      'The plural of news is the same word, so the repository is newsList. Choose another plural with --plural.',
    ])
    expect(read('task', ['title']).notes).toEqual([
      'The application has a folder tasks, so the folder and the path are task-records. Choose another name with --plural.',
    ])
    expect(read('boxes', ['title']).notes).toEqual(['boxes is a plural. Its singular is box.'])
  })

  it.each([
    [['owner:references:user', 'reader:references:user'], 'owner'],
    [['reader:references:user', 'author:references:user'], 'author'],
    [['keeper:references:user', 'title'], 'keeper'],
    [['sender:references:user', 'recipient:references:user'], undefined],
    [['keeper:references:user?'], undefined],
    [['author:references:human'], undefined],
  ])('finds the owner among %j', (fields, owner) => {
    expect(read('letter', fields).model.owner?.name).toBe(owner)
  })

  it('reports that records have no owner, unless an option chooses it', () => {
    const fields = ['sender:references:user', 'recipient:references:user']
    expect(read('letter', fields).notes).toEqual([expect.stringContaining('Choose one with --owner')])
    expect(read('letter', fields, { owner: 'none' }).notes).toEqual([])
    expect(read('letter', fields, { owner: 'sender' }).model.owner?.name).toBe('sender')
  })

  it.each([
    [['body:text', 'code', 'title'], 'title'],
    [['code', 'other'], 'code'],
    [['code?', 'mail:email'], 'mail'],
    [['hot:boolean'], undefined],
    [['title:private:null'], undefined],
  ])('finds the label among %j', (fields, label) => {
    expect(read('letter', fields).model.label?.name).toBe(label)
  })

  it('labels references to itself', () => {
    expect(fieldsOf('parent:references:self?', 'title')[0]?.target).toMatchObject({ label: 'title' })
  })

  it('reports every problem of a command line', () => {
    expect(
      refusal('session', ['published:boolen', 'title', 'title', 'age:integer{9..1}'], {
        publicWhen: 'published',
        label: 'titel',
      }),
    ).toEqual([
      ['session', expect.stringContaining('the table sessions already exists')],
      ['boolen', expect.stringContaining('Did you mean boolean?')],
      ['9..1', expect.stringContaining('swap them')],
      ['title', 'title also has the column title: give one of them another name.'],
      ['titel', expect.stringContaining('Did you mean title?')],
    ])
  })

  it('marks the mistake below the word', () => {
    expect(() => read('thing', ['published:boolen'])).toThrow(
      '  published:boolen\n            ^^^^^^\nUnknown type boolen. Did you mean boolean?',
    )
  })

  it.each([
    '../../etc',
    '/tmp/x',
    'a/b',
    '..\\x',
    'C:x',
    '',
    ' ',
    '-x',
    '--force',
    '1post',
    '__proto__',
    'con',
    'pg_table',
    'NUL',
    'com1',
    'pоst',
    '🌲',
    'po\u202est',
    'po\0st',
    'x'.repeat(64),
    'assets',
    'user',
    'posts',
    'Human',
    'session',
    'asset',
    'report',
    'seed_post',
    'post_id',
  ])('rejects a resource named %j', (name) => {
    const messages = refusal(name, ['title'])
    expect(messages).toHaveLength(1)
    expect(messages[0]?.[1]).toMatch(/\b(?:use|leave)\b|names begin|missing/i)
  })

  it.each([
    ['pоst', 'The character U+043E can’t'],
    ['po\u202est', 'The character U+202E can’t'],
    ['a/b', 'Use a_b.'],
    ['1post', 'Use post.'],
    ['naïve', 'Use naive.'],
    ['report', 'the folder reports already exists in app/, views/ or e2e/'],
    ['asset', '/assets is already a route'],
    ['seed_post', 'the application already has seedPosts'],
    ['pg_table', 'Use table.'],
    ['post_id', 'Use post.'],
    ['user', 'User already exists'],
  ])('suggests an alternative to %j', (name, sentence) => {
    expect(refusal(name, ['title'])[0]?.[1]).toContain(sentence.replace('’', "'"))
  })

  it('shows the code of an invisible character', () => {
    expect(() => read('po\u202est', ['title'])).toThrow('  po\\u{202e}st\n    ^^^^^^^^')
  })

  it.each([
    'person',
    'order',
    'group',
    'select',
    'event',
    'page',
    'status',
    'file',
    'BlogPost',
    'test_case',
    'policy',
    'date',
    'map',
    'test',
    'class',
    'constructor',
    'login',
    'account',
    'promise',
    'record',
  ])('accepts a resource named %s', (name) => {
    expect(refusal(name, ['title'])).toEqual([])
  })

  it.each([
    [['title', 'Title'], 'Title'],
    [['author:references:user', 'author_id:integer'], 'author_id'],
    [['state:enum{a,b}', 'states:enum{a,b}'], 'states'],
    [['id:integer'], 'id'],
    [['created_at:datetime'], 'created_at'],
    [['deleted_at:datetime'], 'deleted_at'],
    [['version:integer'], 'version'],
    [['updatedAt:datetime'], 'updatedAt'],
    [['constructor'], 'constructor'],
    [['toString'], 'toString'],
    [['_method'], '_'],
    [['_find_post'], '_'],
    [['csrf'], 'csrf'],
    [['return_to'], 'return_to'],
    [['hx-get'], 'hx-get'],
    [['submit'], 'submit'],
    [['size:enum{s,m}'], 'size'],
    [['page:boolean'], 'page'],
    [['1st'], '1'],
    [['a.b'], '.'],
    [['näme'], 'ä'],
    [[''], ''],
    [['x'.repeat(51)], 'x'.repeat(51)],
    [['state:enum'], 'state:enum'],
    [['state:enum{}'], ''],
    [['state:enum{one}'], 'one'],
    [['state:enum{a,a}'], 'a,a'],
    [['state:enum{a,A}'], 'a,A'],
    [['state:enum{a,"b"}'], 'a,"b"'],
    [["state:enum{a,'; drop table users}"], "a,'; drop table users"],
    [['state:enum{a,__proto__}'], 'a,__proto__'],
    [['state:enum{a,constructor}'], 'a,constructor'],
    [['state:enum{a,b}=c'], 'c'],
    [['age:integer=old'], 'old'],
    [['age:integer=1.5'], '1.5'],
    [['age:integer{0..9}=10'], '10'],
    [['age:integer{a..9}'], 'a'],
    [['age:integer{0..99999999999}'], '99999999999'],
    [['done:boolean=yes'], 'yes'],
    [['done:boolean?'], '?'],
    [['done:boolean^'], '^'],
    [['due:date=2026-02-30'], '2026-02-30'],
    [['price:decimal{2,5}'], '2,5'],
    [['price:decimal{0,0}'], '0,0'],
    [['price:decimal{4,2}=100'], '100'],
    [['title:string{9..1}'], '9..1'],
    [['title:string{0}'], '0'],
    [['title:string{0..5}'], '0..5'],
    [['title:string{501}'], '501'],
    [['title:string{1..5}=too long'], 'too long'],
    [['title:string{1..5'], '{1..5'],
    [['title:string}'], '}'],
    [['title:string:min(3'], '(3'],
    [['title:string:min'], 'min'],
    [['title:string:uniq'], 'uniq'],
    [['title:strng'], 'strng'],
    [['title:int'], 'int'],
    [['title:'], ''],
    [['title:string:default(a)=b'], 'b'],
    [['title!?'], '!'],
    [['code^=one'], 'one'],
    [['note:text^'], '^'],
    [['note:text:index'], 'index'],
    [['data:json={}'], '{}'],
    [['due:date{1..2}'], '1..2'],
    [['secret:private'], 'private'],
    [['author:references'], 'author'],
    [['author:references:usr'], 'usr'],
    [['author:references:user{null}'], 'null'],
    [['author:references:user{keep}'], 'keep'],
    [['author:references:user=1'], '1'],
    [['parent:references:self'], 'parent'],
    [['x:references:../../etc'], '../../etc'],
    [['external_id:bigint'], 'external_id'],
    [['state:enum{a,b}{c,d}'], 'c,d'],
    [['author:references:user{cascade}{null}'], 'null'],
    [['price:decimal{12,2}{10,1}'], '10,1'],
    [['title:string{1..5}{1..9}'], '1..9'],
    [['title:string:min(3):min(4)'], '4'],
    [['title:string{3..5}:max(9)'], '9'],
    [['constructor:references:user'], 'constructor'],
    [['to_string:references:user'], 'to_string'],
  ])('rejects %j and marks %j', (fields, marked) => {
    expect(refusal('thing', fields).map(([place]) => place)).toEqual([marked])
  })

  it.each([
    [['published:boolen'], 'Did you mean boolean?'],
    [['title:int'], 'Did you mean integer?'],
    [['title:string:uniq'], 'Did you mean unique?'],
    [['author:references'], 'Did you mean author:references:user?'],
    [['writer:references:humn'], 'Did you mean writer:references:human?'],
    [['writer:references:nothere'], 'Unknown model nothere. Available: user, post, human, self.'],
    [['id:integer'], 'remove this'],
    [['created_at:datetime'], 'remove this'],
    [['external_id:bigint'], 'external_number'],
    [['state:enum{a,b}^'], 'An enum'],
    [['title:string1', 'title:string2', 'title:string3'], 'in quotes'],
    [['state:enumdraft', 'state:enumpublished'], 'in quotes'],
  ])('suggests what to write for %j', (fields, sentence) => {
    const messages = refusal('thing', fields)
    expect(messages).toHaveLength(1)
    expect(messages[0]?.[1]).toContain(sentence)
  })

  it('reports a reserved plural', () => {
    expect(refusal('thing', ['title'], { plural: 'api' })).toEqual([
      ['thing', expect.stringContaining('/api is already a route')],
    ])
  })

  it('rejects more fields than a form can send', () => {
    const fields = Array.from({ length: 200 }, (_, index) => `field_${index}`)
    expect(refusal('thing', fields)).toEqual([['field_90', expect.stringContaining('90 or fewer')]])
  })

  it.each<[string[], ModelOptions, string]>([
    [['title'], { owner: 'title' }, 'title'],
    [['a:references:user?'], { owner: 'a' }, 'a'],
    [['title?'], { label: 'title' }, 'title'],
    [['body:text'], { label: 'body' }, 'body'],
    [['title'], { publicWhen: 'title' }, 'title'],
    [['title', 'done:boolean'], { publicWhen: 'done', publicRead: true }, 'done'],
    [['due:date?'], { cursor: 'due' }, 'due'],
    [['body:text'], { cursor: 'body' }, 'body'],
    [['title'], { cursor: 'nothing' }, 'nothing'],
    [['title'], { id: 'serial' }, 'serial'],
  ])('rejects %j with %j', (fields, options, marked) => {
    expect(refusal('thing', fields, options).map(([place]) => place.split(' ').at(-1))).toEqual([marked])
  })

  it('accepts a column or the date as a cursor', () => {
    expect(read('event_entry', ['at:datetime'], { cursor: 'at' }).model.cursor).toBe('at')
    expect(read('event_entry', ['at:datetime'], { cursor: 'created_at' }).model.cursor).toBe('created_at')
  })
})
