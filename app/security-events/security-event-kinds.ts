/** The kinds of security events, with their texts on pages. */
export const EVENT_KINDS = {
  'sign-in': 'Signed in',
  'sign-in-failed': 'Failed sign-in',
  'password-rejected': 'Wrong current password',
  'password-confirmed': 'Password confirmed',
  'sign-out': 'Signed out',
  'sessions-ended': 'Sessions ended',
  'rate-limited': 'Too many attempts',
  'link-requested': 'Link requested',
  'address-verified': 'Email address confirmed',
  'address-changed': 'Email address changed',
  'password-changed': 'Password changed',
  'role-granted': 'Role granted',
  'role-removed': 'Role removed',
  'account-created': 'Account created',
  'account-invited': 'Invitation sent',
  'account-disabled': 'Account disabled',
  'account-enabled': 'Account enabled',
  'account-deleted': 'Account deleted',
} as const

declare module 'pergola' {
  interface EventKinds extends Record<keyof typeof EVENT_KINDS, true> {}
}
