import { httpSettings } from '../src/http/settings.ts'
import { MARK, type Row } from './foreign-rows.ts'
import type { Ids, ResourceRoute } from './route-records.ts'
import type { TestApp } from './test-app.ts'
import type { Answer, RequestContent, TestClient } from './test-client.ts'

/** Returns a sentence for each thing in a response that no user may get. */
export const leaks = ({ text, headers, status }: Answer): string[] => [
  ...([text, ...headers.values()].some((part) => part.includes(MARK))
    ? ['shows data of another tenant']
    : []),
  ...(status >= 500 ? [`failed with status ${status}`] : []),
]

/** Returns the path of a route with these ids. */
export const addressOf = ({ path }: ResourceRoute, ids: Ids): string =>
  path.replaceAll(/:(\w+)/g, (_, param: string) => String(ids.get(param)))

interface Sending {
  client: TestClient
  route: ResourceRoute
  ids: Ids
  body: Row
  query?: string
}

/** Sends a request of a route, with the version of the body in `If-Match` for the API. */
export function send(app: TestApp, { client, route, ids, body, query = '' }: Sending): Promise<Answer> {
  const { method, path } = route
  const address = addressOf(route, ids)
  if (method === 'GET') return client.get(query === '' ? address : `${address}?${query}`)
  const isApi = path.startsWith(`${httpSettings(app.app).apiPrefix}/`)
  const { _version: version, ...fields } = body
  const content: RequestContent = isApi ? { json: fields } : { form: texts(body) }
  return client.send(method, address, {
    ...content,
    ...(typeof version === 'string' && { headers: { 'If-Match': `"${version}"` } }),
  })
}

const texts = (body: Row) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
