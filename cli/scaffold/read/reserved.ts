/** Words that mean something already, by what they can't be a name of. */

/** Words of the language, and names that every file has: no constant can be called so. */
const LANGUAGE = new Set(
  (
    'abstract any arguments as asserts async await bigint boolean break case catch class const continue debugger ' +
    'declare default delete do else enum eval export extends false finally for from function get global global_this ' +
    'if implements import in infer infinity instanceof interface is keyof let module namespace nan never new null ' +
    'number object of out override package private protected public readonly require return satisfies set static ' +
    'string super switch symbol this throw true try type typeof undefined unique unknown using var void while with ' +
    'yield'
  ).split(' '),
)

/** What generated files import, declare or call: a resource of the name would be another thing of the same name. */
const GENERATED = new Set(
  (
    'abilities app array column_type context database date error expect field field_reference form_for form_input ' +
    'generated handler it json kysely label_of list_query load map may may_create page_request partial ' +
    'policies policy policy_context promise public_route query readonly record reference_choice render repository ' +
    'req request res resource route routes row_of scope secured sql store_form tables test test_app user_name z'
  ).split(' '),
)

/** Windows keeps these names for its devices, whatever follows the dot. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** What every object has: as keys they would be found where nothing was put. */
const OF_OBJECTS = new Set(
  [...Object.getOwnPropertyNames(Object.prototype), 'prototype'].flatMap((name) => [
    name,
    name.toLowerCase(),
  ]),
)

/** Folders of the project that a resource of the name would be mixed with. */
const FOLDERS = new Set([
  'api',
  'assets',
  'dev',
  'framework',
  'healthz',
  'layouts',
  'partials',
  'public',
  'readyz',
  'static',
])

/** Why a resource can't have this name, in snake_case; null when it can. */
export function reservedName(name: string): string | null {
  if (OF_OBJECTS.has(name) || OF_OBJECTS.has(name.replaceAll('_', '')))
    return 'every object in JavaScript has this'
  if (LANGUAGE.has(name)) return 'it is a word of TypeScript'
  if (DEVICES.test(name)) return 'Windows keeps it for a device'
  if (FOLDERS.has(name)) return 'something else is served under it'
  return GENERATED.has(name) ? 'the code of every resource uses it' : null
}

/** Columns that are there, or come, by themselves. */
const BY_ITSELF: Readonly<Record<string, string>> = {
  id: 'Every table has an id by itself: leave this out. --id uuid makes it a UUID.',
  created_at: 'Every table has created_at by itself: leave this out.',
  updated_at: 'updated_at is for the repository to keep: leave this out, and see `updatedAt` in the README.',
  deleted_at: 'deleted_at comes by itself with --soft-delete: leave this out.',
  version: 'version comes by itself with --version: leave this out, or call it `edition`.',
}

/** Fields of a form that steer the request. */
const STEERING = /^(?:csrf|csrf_token|return_to|hx_.*)$/
/** What scripts ask of a form itself: a field of this name would answer in its place. */
const OF_FORMS = new Set(
  'action attributes children closest contains elements matches method remove reset submit'.split(' '),
)
const OF_LISTS = new Set(['page', 'size', 'cursor', 'sort', 'dir', 'q'])

/** Why a column can't have this name, and what to do instead; null when it can. */
export function reservedColumn(column: string, { isFilter }: { isFilter: boolean }): string | null {
  if (Object.hasOwn(BY_ITSELF, column)) return BY_ITSELF[column] ?? null
  if (OF_OBJECTS.has(column) || OF_OBJECTS.has(column.replaceAll('_', '')))
    return `Every object in JavaScript has ${column}: call the field otherwise, like ${column}_text.`
  if (STEERING.test(column)) return `${column} steers a form: call the field otherwise, like own_${column}.`
  if (OF_FORMS.has(column))
    return `Scripts ask a form for its ${column}: call the field otherwise, like ${column}_name.`
  if (isFilter && OF_LISTS.has(column))
    return `?${column}= means something else in lists, which filter by this field: call it otherwise, like own_${column}.`
  return null
}
