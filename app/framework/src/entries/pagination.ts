/** The parts of pages and cursors, for lists without a repository. Imported as `pergola/pagination`. */

export { pageByCursor } from '../lists/cursor-walk.ts'
export { DEFAULT_PAGE_SIZE, MAX_PAGE_SIZE } from '../pagination/page-size.ts'
export { toPage, type UncountedPage } from '../pagination/page.ts'
export { decodeCursor, decodeSigned, encodeCursor, encodeSigned } from '../pagination/cursor.ts'
