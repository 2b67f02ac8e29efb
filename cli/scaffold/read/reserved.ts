/** Windows keeps these names for its devices, whatever follows the dot. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** What every object has, in small letters. */
const OF_OBJECTS = new Set(Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()))

/** Whether every object has this, however it is written: as a key it would be found where nothing was put. */
export const isOfObjects = (name: string): boolean => OF_OBJECTS.has(name.replaceAll('_', '').toLowerCase())

/** Why a resource can't have this name, in snake_case, and what to use instead; null when it can. */
export function reservedName(name: string): string | null {
  if (name.startsWith('pg_'))
    return `Postgres keeps tables that begin with pg_ for itself. Leave that out: ${name.slice('pg_'.length)}.`
  if (name.endsWith('_id'))
    return `${name} is what a column is called that refers to another resource. Leave _id out: ${name.slice(0, -'_id'.length)}.`
  if (DEVICES.test(name)) return `Windows has a device ${name}, and no file of that name. Use site_${name}.`
  return null
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
