import type { ColumnType } from 'kysely'

/** The purpose of a token's link. */
export type Purpose = 'sign-up' | 'sign-in' | 'password' | 'verification' | 'address-change' | 'invitation'

type Fixed<Value> = ColumnType<Value, Value, never>

export interface AccountTokenTable {
  /** SHA-256 of the token in the link. */
  digest: Fixed<string>
  purpose: Fixed<Purpose>
  /** Null until the account exists. */
  user_id: Fixed<number | null>
  /** The address that the link was sent to, in lower case. */
  address: Fixed<string>
  created_at: ColumnType<string, never, never>
  expires_at: Fixed<string>
}

declare module 'pergola' {
  interface Tables {
    account_tokens: AccountTokenTable
  }
}
