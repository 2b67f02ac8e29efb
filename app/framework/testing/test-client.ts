import { stringify } from 'node:querystring'

/** The headers and the body of a request: a form, JSON, or a text that is sent unchanged. */
export interface RequestContent {
  headers?: Record<string, string>
  /** Sent URL-encoded. A list is a field with several values. */
  form?: Readonly<Record<string, string | readonly string[]>>
  json?: unknown
  body?: string
}

/** A response, with its body as text. */
export interface Answer {
  status: number
  headers: Headers
  text: string
  /** Parses the body as JSON; throws if it is not JSON. */
  json: () => unknown
}

/**
 * An HTTP client that stores cookies and doesn't follow redirects. It sends neither `Origin` nor `Sec-Fetch-Site`,
 * unless `headers` contains them.
 *
 * ```ts
 * const client = new TestClient(app.url)
 * await client.post('/login', { form: { email, password } })
 * const { status, text } = await client.get('/account')
 * const created = await client.post('/api/posts', { json: { title: 'First' } })
 * ```
 */
export class TestClient {
  readonly #url: string
  /** The cookies by name; a test may read and change them. */
  readonly cookies = new Map<string, string>()

  constructor(url: string) {
    this.#url = url
  }

  get = (path: string, content: RequestContent = {}) => this.send('GET', path, content)
  head = (path: string, content: RequestContent = {}) => this.send('HEAD', path, content)
  post = (path: string, content: RequestContent = {}) => this.send('POST', path, content)
  put = (path: string, content: RequestContent = {}) => this.send('PUT', path, content)
  delete = (path: string, content: RequestContent = {}) => this.send('DELETE', path, content)

  /** Sends a request with any method. Rejects only if the connection fails. */
  async send(
    method: string,
    path: string,
    { headers = {}, ...fields }: RequestContent = {},
  ): Promise<Answer> {
    const { type, body } = encoded(fields)
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: { ...(type && { 'Content-Type': type }), ...(cookie && { cookie }), ...headers },
      ...(body !== undefined && { body }),
    })
    for (const line of response.headers.getSetCookie()) this.#storeCookie(line)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: () => JSON.parse(text) as unknown,
    }
  }

  #storeCookie(line: string): void {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1)
    if (value === '' || /Max-Age=0/i.test(line)) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), value)
  }
}

/** Returns a body with its content type. */
function encoded({ form, json, body }: Omit<RequestContent, 'headers'>) {
  if (form) return { type: 'application/x-www-form-urlencoded', body: stringify(form) }
  if (json !== undefined) return { type: 'application/json', body: JSON.stringify(json) }
  return { type: undefined, body }
}
