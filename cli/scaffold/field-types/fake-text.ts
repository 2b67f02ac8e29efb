import type { Names } from '../read/names.ts'
import type { Field } from './field-type.ts'

/** Text from faker. The lengths are higher than necessary, because a new version of faker may have longer words. */
interface Source {
  readonly code: string
  readonly least: number
  readonly most: number
  /** Whether all values are distinct. */
  readonly isDistinct?: true
}

const PERSON: Source = { code: 'faker.person.fullName()', least: 5, most: 60 }
const PRODUCT: Source = { code: 'faker.commerce.productName()', least: 5, most: 60 }
const TITLE: Source = { code: 'faker.book.title()', least: 2, most: 60 }
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
  [/(?:^|_)(?:city|town)$/, { code: 'faker.location.city()', least: 3, most: 50 }],
  [/(?:^|_)country$/, { code: 'faker.location.country()', least: 3, most: 80 }],
  [/(?:^|_)(?:street|address)$/, { code: 'faker.location.streetAddress()', least: 5, most: 60 }],
  [/(?:^|_)(?:zip|zip_code|postcode|postal_code)$/, { code: 'faker.location.zipCode()', least: 5, most: 10 }],
  [/(?:^|_)(?:phone|mobile|fax)(?:_number)?$/, { code: "faker.phone.number({ style: 'international' })", least: 8, most: 20, isDistinct: true }],
  [/(?:^|_)(?:company|employer|organi[sz]ation|supplier|vendor)$/, { code: 'faker.company.name()', least: 5, most: 80 }],
  [/(?:^|_)(?:job|occupation|profession)$/, { code: 'faker.person.jobTitle()', least: 5, most: 80 }],
  [/(?:^|_)colou?r$/, { code: 'faker.color.human()', least: 3, most: 20 }],
  [/(?:^|_)(?:category|department)$/, { code: 'faker.commerce.department()', least: 4, most: 20 }],
  [/(?:^|_)(?:recipe|dish|meal)$/, { code: 'faker.food.dish()', least: 3, most: 80 }],
  [/(?:^|_)product$/, PRODUCT],
  [/(?:^|_)(?:code|sku|serial|serial_number)$/, CODE],
  [/(?:^|_)(?:title|subject|headline)$/, TITLE],
  [/(?:^|_)(?:person|user|member|author|writer|contact|customer|client|employee|student|teacher|patient|guest|full_name)$/, PERSON],
] // prettier-ignore

const sourceNamed = (name: string): Source | undefined => BY_NAME.find(([pattern]) => pattern.test(name))?.[1]

/** Returns code like `faker.location.city()` for a field `city`; null if faker has no text of the allowed length. */
export function fakeLine(field: Field, { file }: Names): string | null {
  const isGeneral = field.name === 'name' || field.name === 'title'
  const byResource = isGeneral ? sourceNamed(file.replaceAll('-', '_')) : undefined
  const byField = field.name === 'name' ? PRODUCT : sourceNamed(field.name)
  return withinLimits(field, [byResource ?? byField ?? WORDS, WORDS, WORD], 255)
}

const PARAGRAPHS: Source = { code: String.raw`faker.lorem.paragraphs(3, '\n\n')`, least: 100, most: 1500 }
const SENTENCE: Source = { code: 'faker.lorem.sentence()', least: 8, most: 200 }
const DESCRIPTION: Source = { code: 'faker.commerce.productDescription()', least: 20, most: 300 }

/** Returns code for a few paragraphs, or for a sentence if the field is a `note`. */
export function fakeParagraphs(field: Field): string | null {
  const isShort = /(?:^|_)(?:note|notes|comment|summary|excerpt|remark|bio|about)$/.test(field.name)
  const first = isShort ? SENTENCE : /(?:^|_)description$/.test(field.name) ? DESCRIPTION : PARAGRAPHS
  return withinLimits(field, [first, PARAGRAPHS, SENTENCE, WORDS], 20_000)
}

/** Returns code of the first source with valid values. A unique value ends in the number of the record. */
function withinLimits(
  { min = 1, max: declared, unique }: Field,
  sources: readonly Source[],
  usualMost: number,
): string | null {
  const max = declared ?? usualMost
  for (const { code, least, most, isDistinct } of sources) {
    const isNumbered = unique && !isDistinct
    if (least >= min && most + (isNumbered ? 5 : 0) <= max) return isNumbered ? `\`\${${code}} \${n}\`` : code
  }
  return null
}
