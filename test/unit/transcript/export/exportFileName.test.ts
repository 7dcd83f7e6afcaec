import assert from 'node:assert/strict';
import { exportFileName } from '../../../../src/transcript/common/export/exportFileName';

describe('the name of an exported file', () => {
  it('is the title without what file systems mind, cut to size, or else the fallback', () => {
    assert.equal(exportFileName('Fix: ../a "b" für 日本', 'thread'), 'Fix a b für 日本');
    assert.equal(exportFileName('x'.repeat(100), 'thread').length, 60);
    assert.equal(exportFileName('…/?', 'thread'), 'thread');
  });
});
