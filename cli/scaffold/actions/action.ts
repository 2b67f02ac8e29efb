/** An action of the policy besides the standard ones. */
export interface Action {
  /** `markClosed` in `canMarkClosed`. */
  readonly verb: string
  /** `mark-closed`, the end of its route. */
  readonly path: string
  /** `Mark as closed`, the text of its button. */
  readonly label: string
  /** The message after it: `Ticket marked as closed.` */
  readonly message: string
  /** The state of the record after it, if it is a transition. */
  readonly state?: string
}
