import type { Tag, ViewSource } from '../view-source.ts'
import type { Mistake } from './unbalanced.ts'

/** The beginning of a form whose first tag has not ended before the code of a tag. */
const IN_FORM = /<form\b(?:(?!<\/form>|<form\b)[^])*$/

/** Returns the links, forms and partials with a route whose method the browser doesn't send. */
export function wrongMethods({ source, parts }: ViewSource, typeOf: (view: string) => string): Mistake[] {
  return parts.flatMap((part) => {
    const method = part && methodIn(part)
    if (!part || !method) return []
    if (lacksMethod(part, method, typeOf)) return { start: part.start, message: withMethod(method) }
    const before = source.slice(0, part.start)
    if (/\s(?:href|hx-get)="<%=\s*$/.test(before))
      return method === 'GET' ? [] : { start: part.start, message: LINK }
    if (method === 'POST' || !isAction(part, before)) return []
    const form = source.slice(before.lastIndexOf('<form')).split('</form>')[0] ?? ''
    if (method === 'GET') return SENDS_GET.test(form) ? [] : { start: part.start, message: FORM }
    return form.includes('name="_method"') ? [] : { start: part.start, message: formOf(method) }
  })
}

/** Whether a partial with the parameter `method` doesn't receive it. The default of such a partial is DELETE. */
function lacksMethod({ code }: Tag, method: string, typeOf: (view: string) => string): boolean {
  const [, view = ''] = /^include\('\/([^']+)', \{.*\baction: (?:it\.)?pathTo\(/.exec(code) ?? []
  const [, methods = ''] = /\bmethod\?: ([^,}]*)/.exec(typeOf(view)) ?? []
  return method !== 'DELETE' && methods.includes(`'${method}'`) && !/\bmethod:/.test(code)
}

/** The method of the route that a tag contains. */
const methodIn = ({ code }: Tag) => /\bpathTo\([\w.]+,\s*'(GET|POST|PUT|PATCH|DELETE) /.exec(code)?.[1]

const isAction = ({ code }: Tag, before: string) =>
  IN_FORM.test(before) && (code.includes('/form_attributes') || /\saction="<%=\s*$/.test(before))

const SENDS_GET = /^<form\b[^>]*\smethod="get"/i
const FORM = 'A form sends POST, and this route is a GET.'
const LINK = 'A link sends GET. Request this route with a form, such as /partials/action_button.'

const withMethod = (method: string) => `This form doesn’t send ${method}. Add method: '${method}'.`

const formOf = (method: string) =>
  `A form sends POST. Add <input type="hidden" name="_method" value="${method}"> to it.`
