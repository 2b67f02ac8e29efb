/** Words of the language: no constant can be called so. */
const LANGUAGE = new Set(
  (
    'arguments await break case catch class const continue debugger default delete do else enum eval export extends ' +
    'false finally for function global_this if implements import in infinity instanceof interface let new null package ' +
    'private protected prototype public return static super switch this throw true try typeof undefined var void while with yield'
  ).split(' '),
)

/** What generated files import or declare, by the names of the resources that would be called the same. */
const GENERATED = new Set(
  (
    'ability column_type ctx declared_resource etag json resource cursor_request expect field first_id form_for form_input generated handler label_of ' +
    'labels_of may number page_by_cursor policy_context promise re record reference_choice render req res route row_of ' +
    'store_form string user_name'
  ).split(' '),
)

/** Windows keeps these names for its devices, whatever follows the dot. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** What every object has, in small letters. */
const OF_OBJECTS = new Set(Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()))

/** Whether every object has this, however it is written: as a key it would be found where nothing was put. */
export const isOfObjects = (name: string): boolean => OF_OBJECTS.has(name.replaceAll('_', '').toLowerCase())

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
  if (isOfObjects(name)) return 'every object in JavaScript has this'
  if (LANGUAGE.has(name)) return 'it is a word of TypeScript'
  if (name.startsWith('pg_')) return 'Postgres keeps what begins with pg_ for itself'
  if (name.endsWith('_id')) return 'it would be taken for a column that refers to something'
  if (DEVICES.test(name)) return 'Windows keeps it for a device'
  if (FOLDERS.has(name)) return 'something else is served under it'
  return GENERATED.has(name) ? 'the code of every resource uses it' : null
}

/** Columns that are there, or come, by themselves. */
const BY_ITSELF: Readonly<Record<string, string>> = {
  id: 'Every table has an id by itself: leave this out. --id uuid makes it a UUID.',
  created_at: 'Every table has created_at by itself: leave this out.',
  updated_at:
    'updated_at is for the repository to keep: leave this out, and see `updatedAt` in docs/resources.md.',
  deleted_at: 'deleted_at comes by itself with --soft-delete: leave this out.',
  version: 'version comes by itself with --version: leave this out, or call it `edition`.',
}

/** Fields of a form that steer the request. */
const STEERING = /^(?:csrf|csrf_token|return_to|hx_.*)$/
/** What scripts ask of a form itself: a field of this name would answer in its place. */
const OF_FORMS = new Set(
  'action attributes children closest contains elements enctype form matches method remove reset submit'.split(
    ' ',
  ),
)
const OF_LISTS = new Set(['page', 'size', 'cursor', 'sort', 'dir', 'q'])

/** The most characters of a name: Postgres takes 63, and what constraints are called has more than the name. */
const LONGEST = 50

/** Why a field can't be called so, and what to do instead; null when it can. */
export function reservedField(
  { name, column }: { name: string; column: string },
  { isFilter }: { isFilter: boolean },
): string | null {
  const otherwise = `call the field otherwise, like own_${name}`
  if (Object.hasOwn(BY_ITSELF, column)) return BY_ITSELF[column] ?? null
  if (isOfObjects(name)) return `Every object in JavaScript has ${name}: ${otherwise}.`
  if (STEERING.test(column)) return `${column} steers a form: ${otherwise}.`
  if (OF_FORMS.has(column)) return `Scripts ask a form for its ${column}: ${otherwise}.`
  if (isFilter && OF_LISTS.has(column))
    return `?${column}= means something else in lists, which filter by this field: ${otherwise}.`
  if (name.length > LONGEST)
    return `${name.length} characters are too many for Postgres, with what is added to them: use ${LONGEST} or fewer.`
  return null
}
