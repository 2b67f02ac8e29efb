import { hash, randomBytes } from 'node:crypto'
import type { Request } from 'express'
import { hasCookie, openCookie } from '../../http/security/sealed-cookie.ts'

interface KnownBrowser {
  /** Identifies the browser. */
  id?: string
  /** Digests of the accounts that it signed in to, latest first. */
  accounts?: string[]
}

const NAME = 'browser'
const ONE_YEAR = 365 * 86_400
/** So that the cookie remains small. */
const MOST_ACCOUNTS = 5

const open = async (req: Request) =>
  (await openCookie<KnownBrowser>(req, { name: NAME, ttl: ONE_YEAR })).cookie

/**
 * Returns an id of the browser if it signed in to this account before, else null. A throttle that counts such browsers
 * apart doesn't lock the owner out while others guess the password.
 */
export async function knownBrowser(req: Request, account: string): Promise<string | null> {
  if (!hasCookie(req, NAME)) return null
  const { id, accounts = [] } = await open(req)
  return id !== undefined && accounts.includes(digestOf(req, account)) ? id : null
}

/**
 * Stores in an encrypted cookie that this browser signed in to the account: for a year, and for the last five
 * accounts.
 */
export async function rememberBrowser(req: Request, account: string): Promise<void> {
  const cookie = await open(req)
  const digest = digestOf(req, account)
  const others = cookie.accounts?.filter((other) => other !== digest) ?? []
  cookie.id ??= randomBytes(16).toString('base64url')
  cookie.accounts = [digest, ...others].slice(0, MOST_ACCOUNTS)
  await cookie.save()
}

// With the shard: an account of another one may have the same address and another owner.
const digestOf = ({ res }: Request, account: string) =>
  hash('sha256', [account, res?.shard].filter(Boolean).join('\n'), 'base64url')
