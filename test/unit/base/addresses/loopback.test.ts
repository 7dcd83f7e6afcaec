import assert from 'node:assert/strict';
import { isLoopback } from '../../../../src/base/common/addresses/loopback';

describe('isLoopback', () => {
  for (const host of ['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])
    it(`is true for ${host}`, () => assert.ok(isLoopback(new URL(`http://${host}:80/`))));

  for (const host of ['example.com', '128.0.0.1', '127.0.0.1.example.com', 'localhost.example.com', '[::2]', '0.0.0.0'])
    it(`is false for ${host}`, () => assert.ok(!isLoopback(new URL(`http://${host}/`))));
});
