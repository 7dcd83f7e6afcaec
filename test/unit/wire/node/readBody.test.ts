import assert from 'node:assert/strict';
import { once } from 'node:events';
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { readBody } from '../../../../src/wire/node/readBody';

function requestOf(body: string, headers: Readonly<Record<string, string>> = {}): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  Object.assign(request.headers, headers);
  request.push(body);
  request.push(null);
  return request;
}

describe('the body of a request', () => {
  it('is read up to its limit', async () => {
    assert.equal((await readBody(requestOf('abc'), 3)).toString(), 'abc');
  });

  for (const [what, headers] of [
    ['as its header says', { 'content-length': '4' }],
    ['without such a header', {}],
  ] as const)
    it(`is refused with its limit and read to its end if it is larger, ${what}`, async () => {
      const request = requestOf('abcd', headers);
      const ended = once(request, 'end');
      await assert.rejects(readBody(request, 3), { reason: 'tooLarge', message: 'The body is larger than 3 bytes.' });
      await ended;
    });
});
