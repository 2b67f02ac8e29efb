import { enumArray } from '../arrays/enum-array.ts'
import { stringArray } from '../arrays/string-array.ts'
import { bigint } from './bigint.ts'
import { boolean } from './boolean.ts'
import { date } from './date.ts'
import { datetime } from './datetime.ts'
import { decimal } from './decimal.ts'
import { email } from './email.ts'
import { enumeration } from './enum.ts'
import type { FieldType } from './field-type.ts'
import { float } from './float.ts'
import { integer } from './integer.ts'
import { json } from './json.ts'
import { markdown } from '../markdown/markdown-field.ts'
import { many } from '../many/many.ts'
import { money } from '../money/money.ts'
import { references } from './references.ts'
import { states } from '../actions/states.ts'
import { slug } from './slug.ts'
import { string } from './string.ts'
import { text } from './text.ts'
import { time } from './time.ts'
import { url } from './url.ts'
import { uuid } from './uuid.ts'

/** The types of fields, in the order in which messages list them. A field without a type has the first type. */
export const FIELD_TYPES: readonly [FieldType, ...FieldType[]] = [
  string,
  text,
  markdown,
  integer,
  bigint,
  decimal,
  money,
  float,
  boolean,
  date,
  time,
  datetime,
  uuid,
  json,
  email,
  url,
  slug,
  enumeration,
  states,
  stringArray,
  enumArray,
  references,
  many,
]
