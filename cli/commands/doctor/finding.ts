/** The result of one check. */
export interface Finding {
  /** Stable across versions, for scripts. */
  readonly id: string
  /** A note is information, not a problem. */
  readonly state: 'ok' | 'note' | 'wrong'
  readonly message: string
  /** The fix; missing if there is no problem. */
  readonly todo?: string
}

export const ok = (id: string, message: string): Finding => ({ id, state: 'ok', message })

const withFix =
  (state: 'note' | 'wrong') =>
  (id: string, message: string, todo: string): Finding => ({ id, state, message, todo })

export const note = withFix('note')
export const wrong = withFix('wrong')
