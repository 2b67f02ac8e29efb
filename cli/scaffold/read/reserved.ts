/** Names of devices in Windows, with any extension. */
const DEVICES = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** The properties of every object, in lower case. */
const OF_OBJECTS = new Set(Object.getOwnPropertyNames(Object.prototype).map((name) => name.toLowerCase()))

/** Returns whether every object has this property, in any case. Then `object[name]` exists for any object. */
export const isOfObjects = (name: string): boolean => OF_OBJECTS.has(name.replaceAll('_', '').toLowerCase())

/** Returns the reason why a resource can't have this name, and an alternative; null if it can. `name` is in snake_case. */
export function reservedName(name: string): string | null {
  if (name.startsWith('pg_'))
    return `Postgres reserves names that begin with pg_. Use ${name.slice('pg_'.length)}.`
  if (name.endsWith('_id'))
    return `Names that end in _id are columns that refer to another resource. Use ${name.slice(0, -'_id'.length)}.`
  if (DEVICES.test(name)) return `Windows reserves the file name ${name} for a device. Use site_${name}.`
  return null
}

/** Columns that the scaffold or its options add. */
const BY_ITSELF: Readonly<Record<string, string>> = {
  id: 'Every table has an id: remove this. For UUIDs, use --id uuid.',
  created_at: 'Every table has created_at: remove this.',
  updated_at: 'The repository maintains updated_at: remove this, and see `updatedAt` in docs/resources.md.',
  deleted_at: '--soft-delete adds deleted_at: remove this.',
  version: '--version adds the column version: remove this, or use `edition`.',
}

/** Fields of a form that control the request. */
const STEERING = /^(?:csrf|csrf_token|return_to|hx_.*)$/
/** Properties of a form element. A field of this name would hide the property from scripts. */
const OF_FORMS = new Set(
  'action attributes children closest contains elements enctype form matches method remove reset submit'.split(
    ' ',
  ),
)
const OF_LISTS = new Set(['page', 'size', 'cursor', 'sort', 'dir', 'q'])

/** The maximum length of a name. Postgres allows 63 characters, and names of constraints are longer. */
const LONGEST = 50

/** Returns the reason why a field can't have this name, and an alternative; null if it can. */
export function reservedField(
  { name, column }: { name: string; column: string },
  { isFilter }: { isFilter: boolean },
): string | null {
  const otherwise = `use another name, like own_${name}`
  if (Object.hasOwn(BY_ITSELF, column)) return BY_ITSELF[column] ?? null
  if (isOfObjects(name)) return `Every object in JavaScript has ${name}: ${otherwise}.`
  if (STEERING.test(column)) return `${column} controls the form: ${otherwise}.`
  if (OF_FORMS.has(column)) return `Scripts read ${column} from the form: ${otherwise}.`
  if (isFilter && OF_LISTS.has(column))
    return `?${column}= has another meaning in lists, which filter by this field: ${otherwise}.`
  if (name.length > LONGEST)
    return `A name of ${name.length} characters is too long for Postgres: use ${LONGEST} or fewer.`
  return null
}
