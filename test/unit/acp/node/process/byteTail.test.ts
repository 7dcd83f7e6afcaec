import assert from 'node:assert/strict';
import { ByteTail } from '../../../../../src/acp/node/process/byteTail';

describe('ByteTail', () => {
  it('keeps everything up to its size', () => {
    const tail = new ByteTail(10);
    for (const text of ['one', '-', 'two']) tail.push(Buffer.from(text));
    assert.equal(tail.toString(), 'one-two');
  });

  it('keeps the end of more than that', () => {
    const tail = new ByteTail(10);
    for (let digit = 0; digit < 1_000; digit++) tail.push(Buffer.from(String(digit % 10)));
    assert.equal(tail.toString(), '0123456789');
    assert.equal(tail.toString(), '0123456789');
  });

  it('starts with a whole character', () => {
    for (const size of [9, 10, 11, 12]) {
      const tail = new ByteTail(size);
      tail.push(Buffer.from('😀'.repeat(20)));
      assert.match(tail.toString(), /^(😀){2,3}$/u, `${size} bytes`);
    }
  });

  it('does not repair what was broken from the start', () => {
    const tail = new ByteTail(10);
    tail.push(Buffer.from([0x80, 0x41]));
    assert.equal(tail.toString(), '\ufffdA');
  });
});
