/** What the doctor found out about one thing. */
export interface Finding {
  /** Stays the same from one version to the next, for scripts. */
  readonly id: string
  /** A note is worth knowing, and nothing is wrong. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly says: string
  /** What to do about it; absent where nothing is to be done. */
  readonly todo?: string
}

export const ok = (id: string, says: string): Finding => ({ id, state: 'ok', says })
export const note = (id: string, says: string, todo: string): Finding => ({ id, state: 'note', says, todo })
export const wrong = (id: string, says: string, todo: string): Finding => ({ id, state: 'wrong', says, todo })
