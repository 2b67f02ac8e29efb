/** The mail settings that production requires, in the environment of tests that send no mail. */
export const unreachableMail = {
  MAIL__URL: 'smtp://127.0.0.1:1',
  MAIL__FROM: 'no-reply@example.org',
}
