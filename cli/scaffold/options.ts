/** The options of `cli scaffold` that say what the resource is like, as commander reads them. */
export interface ModelOptions {
  readonly plural?: string
  /** A field, or `none`. */
  readonly owner?: string
  readonly label?: string
  readonly cursor?: string
  readonly publicRead?: boolean
  readonly publicWhen?: string
  readonly api?: boolean
  readonly id?: string
  readonly softDelete?: boolean
  readonly version?: boolean
  readonly tests?: boolean
}

/** The same as words of a command line, in an order of their own. */
export function optionWords(options: ModelOptions): string[] {
  const values = [
    ['--plural', options.plural],
    ['--owner', options.owner],
    ['--label', options.label],
    ['--cursor', options.cursor],
    ['--public-when', options.publicWhen],
    ['--id', options.id === 'bigint' ? undefined : options.id],
  ].flatMap(([name = '', value]) => (value === undefined ? [] : [name, value]))
  const flags = [
    ['--public-read', options.publicRead === true],
    ['--no-api', options.api === false],
    ['--soft-delete', options.softDelete === true],
    ['--version', options.version === true],
    ['--no-tests', options.tests === false],
  ] as const
  return [...values, ...flags.filter(([, given]) => given).map(([name]) => name)]
}
