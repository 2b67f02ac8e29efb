import { isIPv6, SocketAddress } from 'node:net'

/**
 * Returns the /64 network of an IPv6 address, which usually belongs to one customer. Returns an IPv4 address unchanged,
 * and one that is mapped to IPv6 (`::ffff:203.0.113.7`, `::ffff:cb00:7107`) as IPv4.
 */
export function network(address: string): string {
  const text = isIPv6(address) ? new SocketAddress({ address, family: 'ipv6' }).address : address
  const [, v4] = /^(?:::ffff:)?(\d+\.\d+\.\d+\.\d+)$/.exec(text) ?? []
  if (v4 !== undefined) return v4
  const [before = '', after = ''] = text.split('::')
  const head = before.split(':').filter(Boolean)
  const tail = after.split(':').filter(Boolean)
  const zeros = Array.from({ length: Math.max(0, 8 - head.length - tail.length) }, () => '0')
  return [...head, ...zeros, ...tail].slice(0, 4).join(':')
}
