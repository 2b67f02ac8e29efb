/** A denial with a reason, as `deny` returns it. Other objects with the same properties are invalid answers. */
export class Denial {
  readonly reason: string
  readonly sentence: string | undefined

  constructor(reason: string, sentence: string | undefined) {
    if (!/^[a-z][a-z0-9_]*$/.test(reason))
      throw new Error(`deny('${reason}'): a reason is a word like 'locked' or 'too_old'.`)
    this.reason = reason
    this.sentence = sentence
  }
}

/**
 * Returns a denial with a reason, for a rule of a policy. The reason is always logged. The caller sees the reason
 * and the sentence only if the response is a 403. Throws if the reason is not a word like `too_old`.
 *
 * ```ts
 * canUpdate: (ctx, post) => !post.locked || deny('locked', 'This post is locked.')
 * ```
 */
export function deny(reason: string, sentence?: string): Denial {
  return new Denial(reason, sentence)
}
