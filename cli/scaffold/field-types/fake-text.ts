import type { Names } from '../read/names.ts'
import type { Field, HelpedCode } from './field-type.ts'

/**
 * Text from faker or `app/db/seeding.ts`. The lengths are higher than necessary, because a new version of faker may have
 * longer words.
 */
interface Source {
  readonly code: string
  readonly least: number
  readonly most: number
  /** Whether all values are distinct. */
  readonly isDistinct?: true
  /** The number of distinct values if there are few, so that names of records would repeat. */
  readonly values?: number
  /** The function of `app/db/seeding.ts` that the code calls. */
  readonly helper?: string
}

const PERSON: Source = { code: 'faker.person.fullName()', least: 5, most: 60 }
const PRODUCT: Source = { code: 'faker.commerce.productName()', least: 5, most: 60 }
const BOOK: Source = { code: 'faker.book.title()', least: 2, most: 60, values: 200 }
const TITLE: Source = { code: 'exampleTitle(faker)', helper: 'exampleTitle', least: 10, most: 60 }
const SENTENCE: Source = { code: 'exampleSentence(faker)', helper: 'exampleSentence', least: 30, most: 100 }
const DEPARTMENT: Source = { code: 'faker.commerce.department()', least: 4, most: 20, values: 12 }
const WORDS: Source = { code: 'faker.word.words(2)', least: 5, most: 50 }
const WORD: Source = { code: 'faker.word.noun()', least: 2, most: 30 }
const CODE: Source = {
  code: "faker.string.alphanumeric({ length: 8, casing: 'upper' })",
  least: 8,
  most: 8,
  isDistinct: true,
}

/** The sources by the end of a field's name. For `name` and `title`, by the end of the resource's name. */
const BY_NAME: readonly (readonly [pattern: RegExp, source: Source])[] = [
  [/(?:^|_)(?:first|given|nick)_?name$/, { code: 'faker.person.firstName()', least: 2, most: 20 }],
  [/(?:^|_)(?:last|family|sur)_?name$/, { code: 'faker.person.lastName()', least: 2, most: 40 }],
  [/(?:^|_)(?:city|town|place|location|venue)$/, { code: 'faker.location.city()', least: 3, most: 50 }],
  [/(?:^|_)country$/, { code: 'faker.location.country()', least: 3, most: 80 }],
  [/(?:^|_)(?:street|address)$/, { code: 'faker.location.streetAddress()', least: 5, most: 60 }],
  [/(?:^|_)(?:zip|zip_code|postcode|postal_code)$/, { code: 'faker.location.zipCode()', least: 5, most: 10 }],
  [/(?:^|_)(?:phone|mobile|fax)(?:_number)?$/, { code: "faker.phone.number({ style: 'international' })", least: 8, most: 20, isDistinct: true }],
  [/(?:^|_)(?:company|employer|organi[sz]ation|supplier|vendor)$/, { code: 'faker.company.name()', least: 5, most: 80 }],
  [/(?:^|_)(?:job|occupation|profession)$/, { code: 'faker.person.jobTitle()', least: 5, most: 80 }],
  [/(?:^|_)colou?r$/, { code: 'faker.color.human()', least: 3, most: 20 }],
  [/(?:^|_)(?:category|department|tag|topic|team)$/, DEPARTMENT],
  [/(?:^|_)(?:recipe|dish|meal)$/, { code: 'faker.food.dish()', least: 3, most: 80 }],
  [/(?:^|_)product$/, PRODUCT],
  [/(?:^|_)(?:code|sku|serial|serial_number)$/, CODE],
  [/(?:^|_)(?:post|article|page|story|book|novel|movie|film)$/, BOOK],
  [/(?:^|_)(?:title|subject|headline)$/, TITLE],
  [/(?:^|_)(?:note|notes|comment|summary|excerpt|remark|reason|bio|about)$/, SENTENCE],
  [/(?:^|_)(?:person|user|member|author|writer|contact|customer|client|employee|student|teacher|patient|guest|full_name)$/, PERSON],
] // prettier-ignore

const sourceNamed = (name: string): Source | undefined => BY_NAME.find(([pattern]) => pattern.test(name))?.[1]
const sourceOf = (file: string) => sourceNamed(file.replaceAll('-', '_'))

/** Returns code like `faker.location.city()` for a field `city`; null if faker has no text of the allowed length. */
export function fakeLine(field: Field, names: Names): string | HelpedCode | null {
  const { code, helper, isDistinct } = lineSource(field, names) ?? {}
  if (code === undefined) return null
  const text = field.unique && !isDistinct ? numbered(code) : code
  return helper === undefined ? text : { code: text, helper }
}

/** Returns code for a seed whose texts don't repeat: `unused(() => faker.book.title(), n)`. Null for other texts. */
export function unusedLine(field: Field, names: Names): HelpedCode | null {
  const { code, helper } = lineSource(field, names) ?? {}
  if (code === undefined || helper !== undefined || !isUnused(field, names)) return null
  return { code: `unused(() => ${code}, n)`, helper: 'unused' }
}

/** Returns the number of records that a seed can name with different texts: few for a table of categories. */
export function fakeLineLimit(field: Field, names: Names): number {
  const { values = Infinity } = lineSource(field, names) ?? {}
  return isUnused(field, names) ? values : Infinity
}

const isGeneral = ({ name }: Field) => name === 'name' || name === 'title'

function lineSource(field: Field, { file }: Names): Source | null {
  const byResource = isGeneral(field) ? sourceOf(file) : undefined
  const byField = field.name === 'name' ? PRODUCT : sourceNamed(field.name)
  const isTitle = byResource === SENTENCE
  return withinLimits(field, [isTitle ? TITLE : (byResource ?? byField ?? WORDS), WORDS, WORD], 255)
}

/** Whether the text is a unique value, or one of few names of records. */
function isUnused(field: Field, names: Names): boolean {
  const { values, isDistinct } = lineSource(field, names) ?? {}
  return !isDistinct && (field.unique || (isGeneral(field) && values !== undefined))
}

const numbered = (code: string) => `\`\${${code}} \${n}\``

const PARAGRAPHS: Source = { code: 'exampleText(faker)', helper: 'exampleText', least: 300, most: 1000 }
const DESCRIPTION: Source = { code: 'faker.commerce.productDescription()', least: 20, most: 300 }

/** Returns code for a few paragraphs, or for a sentence if the field is a `note`. */
export function fakeParagraphs(field: Field, { file }: Names): string | HelpedCode | null {
  const isProduct = sourceOf(file) === PRODUCT && field.name === 'description'
  const isShort = sourceNamed(field.name) === SENTENCE
  const first = isProduct ? DESCRIPTION : isShort ? SENTENCE : PARAGRAPHS
  const { code, helper } = withinLimits(field, [first, PARAGRAPHS, SENTENCE, WORDS], 20_000) ?? {}
  if (code === undefined) return null
  const text = field.unique ? numbered(code) : code
  return helper === undefined ? text : { code: text, helper }
}

/** Returns the first source with valid values. A unique value may end in the number of the record. */
function withinLimits(
  { min = 1, max: declared, unique }: Field,
  sources: readonly Source[],
  usualMost: number,
): Source | null {
  const max = declared ?? usualMost
  const fits = ({ least, most, isDistinct, values }: Source) => {
    const mayEndInNumber = (unique || values !== undefined) && !isDistinct
    return least >= min && most + (mayEndInNumber ? 5 : 0) <= max
  }
  return sources.find(fits) ?? null
}
