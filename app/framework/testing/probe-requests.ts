import { addressOf, type Ids, isApiRoute, type ResourceRoute } from './route-records.ts'
import type { TestApp } from './test-app.ts'
import type { Answer, TestClient } from './test-client.ts'

/** The fields of a request. `_version` is the version of the record that it changes. */
export type Body = Readonly<Record<string, unknown>>

interface Sending {
  client: TestClient
  route: ResourceRoute
  ids: Ids
  body?: Body
  query?: string
}

/** Sends a request of a route, with the version of the body in `If-Match` for the API. */
export function send(app: TestApp, { client, route, ids, body = {}, query = '' }: Sending): Promise<Answer> {
  const address = addressOf(route, ids)
  if (route.method === 'GET') return client.get(query === '' ? address : `${address}?${query}`)
  if (!isApiRoute(app, route)) return client.send(route.method, address, { form: texts(body) })
  const { _version: version, ...json } = body
  const headers = typeof version === 'string' ? { 'If-Match': `"${version}"` } : {}
  return client.send(route.method, address, { json, headers })
}

const texts = (body: Body) =>
  Object.fromEntries(Object.entries(body).map(([name, value]) => [name, String(value)]))
