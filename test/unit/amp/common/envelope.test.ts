import * as assert from 'node:assert/strict';
import { formatError, formatResult, parseRequest, RequestError } from '../../../../src/amp/common/envelope';

describe('the Amp envelope', () => {
  const request = (clientRequest: unknown): ReturnType<typeof parseRequest> =>
    parseRequest(JSON.stringify({ clientRequest }));

  it("knows the document's dialect by its method object", () => {
    assert.deepEqual(request({ id: 'a', method: { readFile: { path: 'x' } } }), {
      idJson: '"a"',
      dialect: 'document',
      method: 'readFile',
      params: { path: 'x' },
    });
  });

  it("knows the CLI's dialect by the method beside the id", () => {
    assert.deepEqual(request({ readFile: { path: 'x' }, id: 'a' }), {
      idJson: '"a"',
      dialect: 'cli',
      method: 'readFile',
      params: { path: 'x' },
    });
  });

  it('keeps every id as it was sent', () => {
    for (const id of [
      '"1"',
      '""',
      '"é\u2028\\ud800"',
      '1',
      '0',
      '-3',
      '1.5',
      '9007199254740993',
      '1e3',
      '1000.0',
      '-0',
      '1E+2',
      '12345678901234567890',
    ]) {
      const frame = `{"clientRequest":{"ping":{"id":12345678901234567891,"message":"x"},"id":${id}}}`;
      const { idJson } = parseRequest(frame);
      assert.equal(idJson, id);
    }
  });

  it('keeps the digits of a large id although params hold one that reads as the same number', () => {
    const frame = '{"clientRequest":{"id":12345678901234567890,"ping":{"id":12345678901234567891}}}';
    assert.equal(parseRequest(frame).idJson, '12345678901234567890');
  });

  it('keeps every id in a request that is nested 10,000 deep', () => {
    for (const deep of [
      `${'['.repeat(10_000)}1${']'.repeat(10_000)}`,
      `${'{"a":'.repeat(10_000)}{"id":3}${'}'.repeat(10_000)}`,
    ]) {
      const frame = (members: string): string => `{"x":[],"clientRequest":{${members}}}`;
      for (const members of [
        `"id":12345678901234567890,"ping":{"message":"\\"id\\":1","deep":${deep}}`,
        `"ping":{"id":2,"deep":${deep}},"\\u0069d":12345678901234567890`,
        `"id":"a","ping":${deep},"id":12345678901234567890`,
      ])
        assert.equal(parseRequest(frame(members)).idJson, '12345678901234567890', members.slice(0, 60));
    }
  });

  it('gives the digits of the double for such an id in a large frame, without reading that twice', () => {
    const params = { message: 'x'.repeat(64 * 1024) };
    const frame = (id: string): string => `{"clientRequest":{"id":${id},"ping":${JSON.stringify(params)}}}`;
    assert.equal(parseRequest(frame('12345678901234567890')).idJson, '12345678901234567000');
    assert.equal(parseRequest(frame('1e300')).idJson, '1e+300');
    assert.equal(parseRequest(frame('1.5')).idJson, '1.5');
    assert.equal(parseRequest(frame('1e3')).idJson, '1000');
    assert.equal(parseRequest(frame('"12345678901234567890"')).idJson, '"12345678901234567890"');
  });

  it('refuses what is not JSON with -32700 and no id', () => {
    for (const frame of ['', 'hello', '{"clientRequest":', '\ufeff{}', '{"a":1}{"b":2}'])
      refused(frame, -32_700, 'null');
  });

  it('refuses JSON that is no request, or whose id cannot be sent back, with -32600 and no id', () => {
    const frames = [
      'null',
      '[]',
      '"ping"',
      '42',
      '{}',
      '{"clientRequest":null}',
      '{"clientRequest":[]}',
      '{"serverResponse":{"id":"1"}}',
      '[{"clientRequest":{"id":"1","ping":{}}}]',
    ];
    for (const frame of frames) refused(frame, -32_600, 'null');
    for (const id of [undefined, null, true, {}, ['1']]) {
      refused(JSON.stringify({ clientRequest: { id, ping: { message: 'x' } } }), -32_600, 'null');
    }
  });

  it('refuses a request without one single method with -32600 and its id', () => {
    const requests = [
      {},
      { method: {} },
      { method: { ping: {}, readFile: {} } },
      { ping: {}, readFile: {} },
      { method: 'ping', params: {} },
    ];
    for (const methods of requests) {
      refused(JSON.stringify({ clientRequest: { id: 7, ...methods } }), -32_600, '7');
    }
  });

  it('answers under the name the dialect looks for', () => {
    const common = { idJson: '7', method: 'readFile', params: {} };
    assert.deepEqual(JSON.parse(formatResult({ ...common, dialect: 'document' }, { content: 'é' })), {
      serverResponse: { id: 7, result: { content: 'é' } },
    });
    assert.deepEqual(JSON.parse(formatResult({ ...common, dialect: 'cli' }, { content: 'é' })), {
      serverResponse: { id: 7, readFile: { content: 'é' } },
    });
  });

  it('formats an error with its data, and without any when there is none', () => {
    assert.deepEqual(JSON.parse(formatError('"a"', new RequestError(-32_602, 'No.', { reason: 'notFound' }))), {
      serverResponse: { id: 'a', error: { code: -32_602, message: 'No.', data: { reason: 'notFound' } } },
    });
    assert.deepEqual(JSON.parse(formatError('null', new RequestError(-32_700, 'No.'))), {
      serverResponse: { id: null, error: { code: -32_700, message: 'No.' } },
    });
  });

  function refused(frame: string, code: number, idJson: string): void {
    const parsed = parseRequest(frame);
    assert.ok('error' in parsed, frame);
    assert.equal(parsed.error.code, code, frame);
    assert.equal(parsed.idJson, idJson, frame);
  }
});
