/** The currency of an amount: the only code, or the codes of the column with its currency. */
export interface Currency {
  readonly codes: readonly string[]
  readonly column?: string
}

/** Returns the number of decimal places of a currency: 2 for EUR, 0 for JPY, 3 for BHD. */
export const digitsOf = (currency: string): number =>
  new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 0
