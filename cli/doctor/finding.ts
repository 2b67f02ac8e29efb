/** The result of one check. */
export interface Finding {
  /** Stable across versions, for scripts. */
  readonly id: string
  /** A note is information, not a problem. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly says: string
  /** How to fix it; absent if nothing needs fixing. */
  readonly todo?: string
}

export const ok = (id: string, says: string): Finding => ({ id, state: 'ok', says })
export const note = (id: string, says: string, todo: string): Finding => ({ id, state: 'note', says, todo })
export const wrong = (id: string, says: string, todo: string): Finding => ({ id, state: 'wrong', says, todo })
