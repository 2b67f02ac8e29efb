/**
 * An error after which a job doesn't run again: it becomes a dead letter at once. Throw it in `run` if every further attempt
 * would fail too, such as after a rejected address.
 */
export class Unrecoverable extends Error {
  override readonly name = 'Unrecoverable'
}
