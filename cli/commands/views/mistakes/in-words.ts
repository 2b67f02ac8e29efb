import { nearest } from '../../../nearest.ts'

/** Returns a sentence about a view that doesn't exist. TypeScript lists some of all views. */
export function unknownView(message: string, views: readonly { readonly name: string }[]): string | null {
  const [, name = '', other = ''] =
    /^TS2345: Argument of type '"([^"]*)"' is not assignable to parameter of type '"([^"]*)"/.exec(message) ??
    []
  const paths = views.map((view) => view.name)
  if (!paths.includes(other.replace('/', '')) && !paths.includes(other)) return null
  if (paths.includes(name.replace('/', ''))) return `TS2345: ${MAIL_PARTS}`
  const slash = other.startsWith('/') ? '/' : ''
  const best = nearest(name.replace(/^\.?\//, ''), paths)
  return `TS2345: There is no view '${name}'.${best === null ? '' : ` Did you mean '${slash}${best}'?`}`
}

const MAIL_PARTS = 'A mail includes only views in views/mails, and a page none of them.'

/** Returns a sentence about a file that is not in `public`. */
export function unknownAsset(message: string, assets: readonly string[]): string | null {
  const [, name] =
    /^TS2345: Argument of type '"([^"]*)"' is not assignable to parameter of type 'keyof AssetFiles'/.exec(
      message,
    ) ?? []
  if (name === undefined) return null
  const best = nearest(name, assets)
  return `TS2345: There is no file '${name}' in public.${best === null ? '' : ` Did you mean '${best}'?`}`
}

const MISSING =
  /^TS(?:2339|2551): Property '(\w+)' does not exist on type '(.*?)'\.(?: (Did you mean '\w+'\?))?/s

/** Returns a sentence about a value that is not there yet. */
export const missingAwait = (message: string): string | null =>
  /^TS2(?:322|345|739|740|741): .*?(?:Type|type|Argument of type) 'Promise</.test(message) &&
  !/ type 'Promise</.test(message.slice(60))
    ? `${message.slice(0, 6)}: This value is a promise: write await before it.`
    : null

const WRONG_RESOURCE =
  /'\[resource\]' are incompatible\.\s+Type '"(\w+)"' is not assignable to type '"(\w+)"'/

/** Returns a sentence about the form of another resource than that of the view. */
export function otherForm(message: string): string | null {
  const [, given, shown] = WRONG_RESOURCE.exec(message) ?? []
  return shown === undefined
    ? null
    : `TS2379: This is the form of ${given}, and the view shows that of ${shown}.`
}

const WRONG_FIELDS =
  /'\[fields\]'[^]*?Types of parameters[^]*?Type '([^']*)' is not assignable to type '([^']*)'/

/** Returns a sentence about a form that lacks fields of its view. */
export function missingFields(message: string): string | null {
  const [, declared, fields = ''] = WRONG_FIELDS.exec(message) ?? []
  if (declared === undefined) return null
  const own = fields.split(' | ')
  const missing = declared.split(' | ').filter((field) => !own.includes(field))
  return `TS2379: The view declares fields that this form lacks: ${missing.join(', ')}. It has ${own.join(', ')}.`
}

/** A view, and its code from the position of an error. */
interface Place {
  readonly hasDeclaration: boolean
  readonly isMail: boolean
  readonly code: string
  /** Whether the code is a property of `it`. */
  readonly isOfIt: boolean
}

/** Returns the message in the words of views. */
export function inWords(message: string, { hasDeclaration, isMail, code, isOfIt }: Place): string {
  const [, value] =
    /^TS2345: Argument of type (.+) is not assignable to parameter of type 'Printable'/.exec(message) ?? []
  if (value === "'unknown'" || value === "'{}'")
    return `TS2345: The type of this value is not known. Print String(… ?? '').`
  if (value?.includes(') => ')) return CALL
  if (value !== undefined)
    return `TS2345: A tag can't print ${value}. Print a text: one of its properties, or what String or join returns.`
  const [, action, resource] =
    /^TS2345: Argument of type '"(\w+)"' is not assignable to parameter of type 'RowAction<Resource<"(\w+)"/.exec(
      message,
    ) ?? []
  if (action !== undefined) return `TS2345: The policy of ${resource} has no rule for '${action}'.`
  const [, unknown] = /^TS2304: Cannot find name '(\w+)'\.$/.exec(message) ?? []
  if (unknown !== undefined) return `TS2304: Cannot find name '${unknown}'. ${remedyFor(unknown)}`
  if (message.startsWith('TS2554: Expected ')) return `TS2554: ${withoutArgument(code) ?? message.slice(8)}`
  if (message.includes('PrintWithTilde'))
    return 'HTML: print this value with <%~ … %>, since <%= … %> escapes it.'
  if (
    /^TS2345: Argument of type '\([^]* => [^]*' is not assignable to parameter of type '[^']*\bHtml\b/.test(
      message,
    )
  )
    return CALL
  if (/^TS2345: Argument of type .+ is not assignable to parameter of type '[^']*\bHtml\b/.test(message))
    return 'HTML: <%~ … %> prints only HTML. Print text with <%= … %>, which escapes it, and several parts with a loop.'
  const [, name, type = '', guess = ''] = MISSING.exec(message) ?? []
  if (name === undefined || !(isOfIt || type.endsWith('ViewContext'))) return message
  if (isMail && (name === 'pathTo' || name.endsWith('Routes')))
    return `TS2339: A mail has no routes. Pass the whole address in its data: absoluteUrl(req, pathTo(…)).`
  if (name.endsWith('Routes'))
    return `TS2339: No route table has the name '${name}'. ${guess && `${guess} `}app/pages.ts and app/resources.ts list them.`
  const remedy = hasDeclaration
    ? 'The @type in the first tag declares the data.'
    : `Declare it in the first tag: <% /** @type {{ ${name}: … }} */ %>.`
  return `TS2339: '${name}' is not in the data of this view. ${guess || remedy}`
}

const CALL = 'TS2345: This is a function: call it with its arguments.'

const remedyFor = (name: string) =>
  /^[A-Z]/.test(name)
    ? `Import a type in the first tag: /** @import { ${name} } from '…' */.`
    : `Data and helpers are below 'it': if it is one of them, write it.${name}.`

/** Returns a sentence about a call without its last argument. */
function withoutArgument(code: string): string | null {
  const [, table, route = ''] = /^pathTo\(([\w.]+),\s*'([^']*)'/.exec(code) ?? []
  if (table !== undefined && !route.includes(':')) return `${table} has no route '${route}'.`
  if (table !== undefined) return `pathTo needs the parameters of '${route}': pass the record, or an object.`
  const [, name, view] = /^(include|layout)\('([^']*)'/.exec(code) ?? []
  return name === undefined ? null : `'${view}' needs data: ${name}('${view}', { … }).`
}
