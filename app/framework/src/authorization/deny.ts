const CODE = /^[a-z][a-z0-9_]*$/

/** A no that says why. Made by `deny`; whatever else looks like one is an invalid answer. */
export class Denial {
  readonly reason: string
  readonly sentence: string | undefined

  constructor(reason: string, sentence: string | undefined) {
    if (!CODE.test(reason))
      throw new Error(`deny('${reason}'): a reason is a word like 'locked' or 'too_old'.`)
    this.reason = reason
    this.sentence = sentence
  }
}

/**
 * What a rule answers for a no with a reason: `deny('locked', 'This post is locked.')`. The reason is always logged; the
 * caller reads it, and the sentence, only where the denial is a 403.
 */
export function deny(reason: string, sentence?: string): Denial {
  return new Denial(reason, sentence)
}
