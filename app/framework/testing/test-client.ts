/** What a request carries beside its path. */
export interface Sent {
  headers?: Record<string, string>
  /** Sent as a form. */
  form?: Record<string, string>
  /** Sent as JSON. */
  json?: unknown
  /** Sent as it is. */
  body?: string
}

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body; throws when it is no JSON. */
  json: () => unknown
}

/** Something that keeps cookies, follows no redirect and claims nothing about where it comes from. */
export class TestClient {
  readonly #url: string
  readonly cookies = new Map<string, string>()

  constructor(url: string) {
    this.#url = url
  }

  get = (path: string, sent: Sent = {}) => this.send('GET', path, sent)
  head = (path: string, sent: Sent = {}) => this.send('HEAD', path, sent)
  post = (path: string, sent: Sent = {}) => this.send('POST', path, sent)
  put = (path: string, sent: Sent = {}) => this.send('PUT', path, sent)
  delete = (path: string, sent: Sent = {}) => this.send('DELETE', path, sent)

  async send(method: string, path: string, { headers = {}, form, json, body }: Sent = {}): Promise<Answer> {
    const content = form
      ? new URLSearchParams(form).toString()
      : json === undefined
        ? body
        : JSON.stringify(json)
    const type = form
      ? 'application/x-www-form-urlencoded'
      : json === undefined
        ? undefined
        : 'application/json'
    const cookie = [...this.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: { ...(type && { 'Content-Type': type }), ...(cookie && { cookie }), ...headers },
      ...(content !== undefined && { body: content }),
    })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: () => JSON.parse(text) as unknown,
    }
  }

  #keep(line: string): void {
    const [pair = ''] = line.split(';')
    const at = pair.indexOf('=')
    const value = pair.slice(at + 1)
    if (value === '' || /Max-Age=0/i.test(line)) this.cookies.delete(pair.slice(0, at))
    else this.cookies.set(pair.slice(0, at), value)
  }
}
