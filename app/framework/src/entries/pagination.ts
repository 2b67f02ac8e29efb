/** The parts of pages and cursors, for lists without a repository. Imported as `pergola/pagination`. */

// Cursor pages of a query of your own
export { pageByCursor } from '../lists/cursor-walk.ts'

// Sizes, pages of a list, and cursors
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../pagination/page-size.ts'
export { toPage, type UncountedPage } from '../pagination/page.ts'
export { decodeCursor, decodeSigned, encodeCursor, encodeSigned } from '../pagination/cursor.ts'
