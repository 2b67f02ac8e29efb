/** The most seals that are kept: about 5 MB. */
const MOST = 10_000

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

  /** Keeps the token of a seal, unless the seal has no legible expiry. */
  add(seal: string, token: string): void {
    const until = expiryOf(seal)
    if (until === null) return
    const [oldest] = this.#seals.keys()
    if (oldest !== undefined && this.#seals.size >= MOST) this.#seals.delete(oldest)
    this.#seals.set(seal, { token, until })
  }
}

/** Returns when a seal expires. It has eight parts, and the sixth is this time: `Fe26.2*1*…*…*…*1795367384777*…*…`. */
function expiryOf(seal: string): number | null {
  const parts = decodeURIComponent(seal).split('*')
  const until = Number(parts[5])
  return parts.length === 8 && until > 0 ? until : null
}
