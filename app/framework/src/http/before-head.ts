import type { Response } from 'express'

/** Calls `work` with the arguments of `writeHead`, immediately before the headers are sent. */
export function beforeHead(res: Response, work: (head: readonly unknown[]) => void): void {
  const writeHead = res.writeHead.bind(res) as (...head: unknown[]) => Response
  res.writeHead = ((...head: unknown[]) => {
    if (!res.headersSent) work(head)
    return writeHead(...head)
  }) as typeof res.writeHead
}
