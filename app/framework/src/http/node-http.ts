/**
 * The values of Node's HTTP module. An import of `node:http` would also load Node's `fetch`, which costs a server that
 * doesn't use it 40 ms and 10 MB.
 */
export const { createServer, IncomingMessage, METHODS, ServerResponse, STATUS_CODES } =
  process.getBuiltinModule('node:http')
