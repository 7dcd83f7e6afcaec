// @ts-check
/** A provider over HTTP: each POST request gets one JSON object. Start it with `node fileFacts.mjs [port]`. */
import { createServer } from 'node:http';

/** @typedef {{ method: string, params: { uri: string, content: string } }} RequestMessage */

/** @type {Record<string, (params: { uri: string, content: string }) => unknown>} */
const methods = {
  capabilities: () => ({ selector: [{ path: '**' }] }),
  items: ({ content }) => {
    const lines = content.split(/\r?\n/).length;
    const facts = `${lines} lines, ${content.length} characters`;
    return [{ title: facts, ui: { hover: { text: facts } }, ai: { content: `The file has ${facts}.` } }];
  },
};

const server = createServer((request, response) => {
  let body = '';
  request.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (body += chunk));
  request.on('end', () => {
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify(answer(body)));
  });
});
server.listen(Number(process.argv[2] ?? 4477), '127.0.0.1', () => {
  const address = server.address();
  if (address && typeof address === 'object')
    console.log(`Put "http://127.0.0.1:${address.port}/" into backline.context.providers`);
});

/** @param {string} body */
function answer(body) {
  try {
    /** @type {unknown} */
    const message = JSON.parse(body);
    if (!isRequest(message)) return { error: { code: -32600, message: 'Invalid request' } };
    const call = methods[message.method];
    return call ? { result: call(message.params) } : { error: { code: -32601, message: 'Unknown method' } };
  } catch (error) {
    return { error: { code: -32603, message: String(error) } };
  }
}

/**
 * @param {unknown} message
 * @returns {message is RequestMessage}
 */
function isRequest(message) {
  return typeof message === 'object' && message !== null && 'method' in message && typeof message.method === 'string';
}
