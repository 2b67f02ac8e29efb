import type { HttpSettings } from '../http/settings.ts'
import { weakMemoize } from '../resource/memoize.ts'

/** The most seals that are kept, and their longest text: together at most 5 MB. A seal has 244 characters. */
const MOST = 10_000
const LONGEST = 400

/** A seal has eight parts. The sixth is when it expires: `Fe26.2*1*…*…*…*1795367384777*…*…~2`. */
const SEAL = /^Fe26\.2(?:\*[\w-]*){4}\*(\d+)\*[\w-]+\*[\w-]+~2$/

interface Opened {
  readonly token: string
  /** When the seal expires, as a Unix time in milliseconds. */
  readonly until: number
}

/** The tokens of seals that were opened, until the seals expire. The oldest make room for new ones. */
export class OpenedSeals {
  readonly #seals = new Map<string, Opened>()

  /** Returns the token of a seal; null if it was not opened, or has expired. */
  find(seal: string, now: number): string | null {
    const found = this.#seals.get(seal)
    return found !== undefined && now < found.until ? found.token : null
  }

  /** Keeps the token of a seal. Ignores texts of another form, which iron-session may open too. */
  add(seal: string, token: string): void {
    const until = Number(SEAL.exec(seal)?.[1])
    if (seal.length > LONGEST || !(until > 0)) return
    const [oldest] = this.#seals.keys()
    if (oldest !== undefined && this.#seals.size >= MOST) this.#seals.delete(oldest)
    // A copy: a part of the header would keep all of it in memory.
    this.#seals.set(Buffer.from(seal).toString(), { token, until })
  }
}

/** The opened seals of an application: to decrypt a cookie takes longer than the rest of a small request. */
export const openedSeals = weakMemoize((_settings: HttpSettings) => new OpenedSeals())
