import type { Unit } from '../database/unit.ts'

/** Returns a text that distinguishes clients. It needs no cookie, since most readers of lists are guests. */
export function clientOf({ cause: { request } }: Unit): string {
  if (request === undefined) return ''
  const { headers, socket } = request
  return [headers['x-forwarded-for'] ?? socket.remoteAddress, headers['user-agent']].join(' ')
}

/**
 * Returns a number from 0. A client reads the replica with the highest one, so that only the clients of a replica that
 * fails change to another: rendezvous hashing.
 */
export function rankOf(client: string, name: string): number {
  let hash = 0
  for (const text of [client, name])
    for (let index = 0; index < text.length; index++)
      hash = Math.imul(hash ^ text.charCodeAt(index), 0x01_00_01_93) >>> 0
  // Mixes the bits, since texts with the same end have similar sums.
  hash = Math.imul(hash ^ (hash >>> 16), 0x45_d9_f3_b) >>> 0
  return (hash ^ (hash >>> 16)) >>> 0
}
